import { FindInList } from "../../controls/find-in-list.tsx";
import type { TurnEntry } from "../../states/state.ts";
import { TURNS } from "../../turns/provenance.ts";

const texts = new WeakMap<TurnEntry, string>();

/** All texts of a turn, in lower case. */
function textOf(turn: TurnEntry): string {
  let text = texts.get(turn);
  if (text === undefined) {
    const { program, reply, prints, calls, result, reason, message, hint, lost, memory, functions } = turn;
    const rows = [
      ...prints.map((print) => print.text),
      ...calls.flatMap((call) => [call.name, call.args, call.result, call.error]),
      ...functions.flatMap((row) => [row.name, row.params, row.doc, row.returns]),
    ];
    text = [program, reply, ...rows, result, reason, message, hint, lost, memory].join("\n").toLowerCase();
    texts.set(turn, text);
  }
  return text;
}

/** The search in many turns. The browser's own search finds only the turns near the screen. */
export const FindTurn = ({ turns }: { readonly turns: readonly TurnEntry[] }) => (
  <FindInList list={TURNS} label="Find a turn" what="turn" items={turns} textOf={textOf} />
);
