import { Fold } from "./fold.ts";
import type { RenderOptions } from "./options.ts";
import { readOptions } from "./render-request.ts";
import type { Rendered } from "./rendered.ts";
import { checkTurns, type Turn } from "./turn.ts";

/**
 * Renders the messages that a model is sent after `turns`.
 *
 * Pure: the same arguments give the same bytes. Each call processes all turns, and so does the first access to
 * `sections` and to `dropped`; a {@link Renderer} processes a turn once, so use it to render after every turn.
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
  const fold = new Fold(readOptions(options), checkTurns(turns));
  try {
    return fold.render(memory);
  } finally {
    fold.free();
  }
}
