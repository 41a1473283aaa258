import { encodeRecord } from "../boundary/encode.ts";
import { renderCustom } from "./custom-strategy.ts";
import { Fold } from "./fold.ts";
import { type RenderOptions, type RenderRequest, readOptions, sameRequest } from "./options.ts";
import { type Rendered, renderedFromFrame } from "./rendered.ts";
import { checkTurn, checkTurns, firstTurn, identityOf, type Turn } from "./turn.ts";

/**
 * Renders the messages that a model is sent after `turns`.
 *
 * Pure: the same arguments give the same bytes, and nothing is kept that a later change of them would make stale.
 * Internally, the fold of a history is cached by its first turn, so that calling this after every turn costs about as
 * much as a {@link Renderer}.
 *
 * @param memory the definitions by name; null for those of the last turn that has them.
 * @example
 * ```ts
 * const { messages, stats } = toMessages(turns, null, { mission: "Find well-reviewed products", maxTurns: 5 });
 * ```
 * @throws {TurnfoldError} `invalid_option`, `unknown_strategy`, `invalid_tool`, `invalid_signature`, `invalid_turn`,
 * `invalid_strategy`, `invalid_counter`; for the data and the memory `invalid_value`, `cyclic_value`,
 * `nesting_too_deep` with the path.
 */
export function toMessages(
  turns: readonly Turn[],
  memory: Readonly<Record<string, unknown>> | null,
  options: RenderOptions,
): Rendered {
  const first = firstTurn(turns);
  const history = first === undefined ? null : identityOf(checkTurn(first, "turns[0]"));
  const knownFolds = (history === null ? undefined : folds.get(history)) ?? [];
  const request = readOptions(options, knownFolds[0]?.request);
  const memoryJson = memory === null || memory === undefined ? null : encodeRecord(memory, "memory");
  const fold = foldOf(history, knownFolds, request);
  if (request.custom !== null) {
    const checked = checkTurns(turns);
    return renderCustom(request, request.custom, checked, memoryJson, fold.turnsLeft(checked.length));
  }
  fold.setTurns(turns);
  return renderedFromFrame(fold, fold.render(memoryJson), memoryJson);
}

/** Open folds by the first turn of their history, the most recently used one first. */
const folds = new WeakMap<object, Fold[]>();

/** Enough to render one history with every strategy in turn. */
const FOLDS_PER_HISTORY = 5;

function foldOf(first: object | null, knownFolds: readonly Fold[], request: RenderRequest): Fold {
  if (first === null) return new Fold(request, []);
  // The host's counter renders the history that it counts for.
  if (knownFolds.some((fold) => fold.isBusy)) return new Fold(request, []);
  const at = knownFolds.findIndex((fold) => sameRequest(fold.request, request));
  const fold = at < 0 ? foldForOptions(knownFolds, request) : (knownFolds[at] as Fold);
  // `sameRequest` does not compare custom strategies, because the wasm side does not know them.
  fold.request = request;
  if (at !== 0) folds.set(first, [fold, ...knownFolds.filter((other) => other !== fold)]);
  return fold;
}

/** Returns a fold for other options: a new one, or at the limit the least recently used one. */
function foldForOptions(knownFolds: readonly Fold[], request: RenderRequest): Fold {
  const oldest = knownFolds[FOLDS_PER_HISTORY - 1];
  if (oldest === undefined) return new Fold(request, []);
  oldest.configure(request);
  return oldest;
}
