import { computed } from "@preact/signals";
import { programsFromSaved, type SavedPrograms } from "../states/saved.ts";
import { blankTool } from "../states/state.ts";
import { change, edit, state } from "../states/store.ts";
import { exchange } from "./examples/exchange.ts";
import { followUp } from "./examples/follow-up.ts";
import { ticket } from "./examples/ticket.ts";
import { trains } from "./examples/trains.ts";
import type { ProgramsState, TurnRow } from "./state.ts";

export interface ProgramExample {
  readonly title: string;
  /** One sentence about what the example shows. */
  readonly summary: string;
  readonly saved: SavedPrograms;
  /** The tools that the example needs. Tools of the page with the same names are kept. */
  readonly tools?: readonly {
    readonly name: string;
    readonly signature: string;
    readonly description: string;
    readonly answer: string;
  }[];
}

export const programExamples: readonly ProgramExample[] = [followUp, ticket, trains, exchange];

const first = programsFromSaved(followUp.saved);

/** The state of the tab. */
export const programs = computed((): ProgramsState => state.value.programs ?? first);

export const editPrograms = (patch: Partial<ProgramsState>): void =>
  edit({ programs: { ...programs.value, ...patch } });

/** Makes a change of more than one field, with a notice that offers to undo it. */
export const changePrograms = (patch: Partial<ProgramsState>, text: string): void =>
  change({ programs: { ...programs.value, ...patch } }, text);

export function openProgramExample({ title, summary, saved, tools = [] }: ProgramExample): void {
  const known = new Set(state.value.tools.map(({ name }) => name.trim()));
  const added = tools.filter(({ name }) => !known.has(name)).map((tool) => ({ ...blankTool(), ...tool }));
  const names = added.map(({ name }) => name).join(", ");
  change(
    {
      programs: programsFromSaved(saved),
      ...(added.length === 0 ? {} : { tools: [...state.value.tools, ...added] }),
    },
    `Opened “${title}”: ${summary}.${added.length === 0 ? "" : ` The page’s tools have ${names} now.`}`,
  );
}

/** The lists of turns that the tab has. */
export type TurnList = "history" | "demos";

export const editTurns = (list: TurnList, change: (rows: readonly TurnRow[]) => readonly TurnRow[]): void =>
  editPrograms({ [list]: change(programs.value[list]) });
