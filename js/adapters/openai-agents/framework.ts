/** The members of an agent of the SDK that are read: its tools count in limits, and its model may write summaries. */
export interface AgentsAgent {
  readonly model?: unknown;
  readonly tools?: unknown;
}

/** The argument of a `callModelInputFilter`. */
export interface ModelInput<Item extends object> {
  modelData: { input: Item[]; instructions?: string | undefined };
  agent: AgentsAgent;
}

/** The result of a `callModelInputFilter`. */
export interface ModelInputData<Item extends object> {
  input: Item[];
  instructions?: string;
}

/** A `callModelInputFilter` of the SDK. */
export interface TurnfoldInputFilter {
  <Item extends object>(given: ModelInput<Item>): Promise<ModelInputData<Item>>;
  /** The filter changes no item, so that the SDK does not have to copy them. */
  preserveInputIdentity: true;
}

/** A session of the SDK: `MemorySession`, `OpenAIConversationsSession`, or one of the host. */
export interface AgentsSession<Item extends object> {
  getSessionId(): Promise<string>;
  getItems(limit?: number): Promise<Item[]>;
  addItems(items: Item[]): Promise<void>;
  popItem(): Promise<Item | undefined>;
  clearSession(): Promise<void>;
  prepareHistoryItemForModelInput?(item: Item): Item;
  prepareHistoryItemsForPersistenceComparison?(items: Item[]): Item[];
  preserveReasoningItemIdsForPersistence?(): boolean;
}

/** The members of a model of the SDK that {@link agentsModel} uses. */
export interface AgentsModel {
  getResponse(request: never): PromiseLike<{ output: readonly object[]; usage: object }>;
}
