import { renderCustom } from "./custom.ts";
import { encodeRecord } from "./encode.ts";
import { Fold } from "./fold.ts";
import { type RenderOptions, type Request, readOptions, sameRequest } from "./options.ts";
import { fromFrame, type Rendered } from "./rendered.ts";
import { checkTurns, identityOf, type Turn } from "./turn.ts";

/**
 * The messages that a model is sent after `turns` [ARC-003].
 *
 * Pure: the same arguments give the same bytes, and nothing is kept that a later change of them would make stale
 * [ARC-004]. Inside, the fold of a history is remembered by its first turn, so that calling this after every turn costs
 * about what a {@link Renderer} does.
 *
 * @param memory the definitions by name; null for those of the last turn that knows them.
 * @example
 * ```ts
 * const { messages, stats } = toMessages(turns, null, { mission: "Find well-reviewed products", maxTurns: 5 });
 * ```
 * @throws {TurnfoldError} `invalid_option`, `unknown_strategy`, `invalid_tool`, `invalid_signature`, `invalid_turn`,
 * `invalid_strategy`, `invalid_counter`; for the data and the memory `invalid_value`, `cyclic_value`, `nesting_too_deep` with the path.
 */
export function toMessages(
  turns: readonly Turn[],
  memory: Readonly<Record<string, unknown>> | null,
  options: RenderOptions,
): Rendered {
  const history = checkTurns(turns);
  const request = readOptions(options);
  const memoryJson = memory === null || memory === undefined ? null : encodeRecord(memory, "memory");
  const fold = foldOf(history, request);
  if (request.custom !== null) return renderCustom(request, request.custom, history, memoryJson);
  fold.become(history);
  return fromFrame(fold, fold.render(memoryJson), memoryJson);
}

/** Open folds by the first turn of their history, the one used last in front. */
const folds = new WeakMap<object, Fold[]>();

/** Enough to look at one history through every strategy in turn. */
const FOLDS_PER_HISTORY = 5;

function foldOf([first]: readonly Turn[], request: Request): Fold {
  if (first === undefined) return new Fold(request, []);
  const known = folds.get(identityOf(first)) ?? [];
  const fold = known.find((fold) => sameRequest(fold.request, request)) ?? fresh(known, request);
  fold.configure(request);
  folds.set(identityOf(first), [fold, ...known.filter((other) => other !== fold)].slice(0, FOLDS_PER_HISTORY));
  return fold;
}

/** The fold that was not used for longest makes room. */
function fresh(known: readonly Fold[], request: Request): Fold {
  return known[FOLDS_PER_HISTORY - 1] ?? new Fold(request, []);
}
