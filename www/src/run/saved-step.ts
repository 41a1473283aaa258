import {
  type Compression,
  type RenderOptions,
  Step,
  SubAgent,
  type ToolDescription,
  type Turn,
  type Usage,
  type Value,
  type WaitingCall,
} from "turnfold";
import { memoryText } from "../running/print.ts";
import { linesOf } from "../running/tool-parameters.ts";
import { blankTool, newId, type State } from "../states/state.ts";
import { savedRun } from "../tokens/saved-run.ts";
import { type OptionName, optionNames, type StrategyChoice, strategies } from "../turns/options.ts";

/** A step with the turns of the page, from which a run can resume. */
export const stepOf = (
  turns: readonly Turn[],
  spent: readonly ({ readonly at: number; readonly usage: Usage } | undefined)[],
): Step =>
  Step.fromJSON({
    ...savedRun({ turns, options: { mission: "" } }),
    log: turns.map((_, index) => spent[index] ?? { at: 0, usage: {} }),
  });

/** The state of the page before the first turn of a step. Tools get the answers of the page's tools with the same names. */
export function stateOfStep(step: Step, now: State): State {
  const { request } = step;
  const { strategy, options } = strategyOf(request);
  const waits = (name: string, why: WaitingCall["reason"]): boolean =>
    step.waiting.some(({ tool, reason, path }) => tool === name && reason === why && path.length === 0);
  const given = optionNames.map((name): [OptionName, string] => {
    const value = (request as unknown as Readonly<Record<string, unknown>>)[name] ?? options[name];
    return [name, typeof value === "number" ? String(value) : ""];
  });
  return {
    ...now,
    mission: String(request.mission),
    systemPrompt: ownPrompt(request),
    tools: Object.entries(request.tools ?? {}).map(([name, tool]) => ({
      ...blankTool(),
      ...pick(now.tools.find((row) => row.name.trim() === name)),
      name,
      ...(typeof tool === "string" ? { signature: tool } : described(tool)),
      ...(waits(name, "approval") && { needsApproval: true }),
      ...(waits(name, "later") && { answersLater: true }),
    })),
    data: dataText((request.data ?? {}) as Readonly<Record<string, Value>>),
    signature: request.signature === undefined ? "" : String(request.signature),
    fields: Object.entries(request.fieldDescriptions ?? {}).map(([path, description]) => ({
      id: newId(),
      path,
      description,
    })),
    strategy,
    options: Object.fromEntries(given) as State["options"],
    toolResults: options.toolResults === true,
    turns: [],
    waiting: step.status === "waiting" ? JSON.stringify(step) : "",
  };
}

/** What a step does not have of a tool. */
function pick(row: State["tools"][number] | undefined) {
  if (row === undefined) return {};
  const { answer, delay, needsApproval, approvalIf, answersLater } = row;
  return { answer, delay, needsApproval, approvalIf, answersLater };
}

const described = (tool: object) => {
  const { signature = "", description = "", fieldDescriptions } = tool as Exclude<ToolDescription, string>;
  return { signature, description, parameters: linesOf(fieldDescriptions) };
};

function strategyOf({ compression }: RenderOptions): {
  readonly strategy: StrategyChoice;
  readonly options: Readonly<Record<string, unknown>>;
} {
  const [named, options] = Array.isArray(compression)
    ? (compression as [Compression, Record<string, unknown>])
    : [compression, {}];
  const name = named === true ? "single-user-coalesced" : named;
  const known = strategies.find((entry) => entry.name === name);
  return { strategy: known?.name ?? "none", options };
}

/** The system prompt; empty for the built-in one. */
function ownPrompt({ systemPrompt, maxTurns, compression }: RenderOptions): string {
  const agent = new SubAgent({ mission: "", compression, ...(maxTurns === undefined ? {} : { maxTurns }) });
  const builtIn = agent.preview().messages[0];
  return systemPrompt === undefined || systemPrompt === builtIn?.content ? "" : String(systemPrompt);
}

const KEYWORD = /^[A-Za-z*+!_?<>=-][\w*+!_?<>=.-]*$/;

/** Clojure text if all names are keywords, else JSON. */
const dataText = (data: Readonly<Record<string, Value>>): string =>
  Object.keys(data).every((name) => KEYWORD.test(name)) ? memoryText(data) : JSON.stringify(data, null, 1);
