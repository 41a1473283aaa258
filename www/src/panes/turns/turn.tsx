import { useComputed } from "@preact/signals";
import { IconButton } from "../../controls/button.tsx";
import { Icon } from "../../controls/icon.tsx";
import type { RowProps } from "../../controls/virtual-list.tsx";
import { focusSoon } from "../../page/focus.ts";
import { counted, formatted } from "../../page/numbers.ts";
import { fieldId } from "../../page/problem.ts";
import { memo } from "../../page/reuse.ts";
import { outdated } from "../../running/outdated.ts";
import { running, runTurn, stop } from "../../running/running.ts";
import type { TurnEntry } from "../../states/state.ts";
import { deleteTurn, duplicateTurn, moveTurn, setOpen } from "../../states/store.ts";
import { TurnEditor } from "./turn-editor.tsx";

/** Resumes the agent at a turn, by its number from 1. */
export interface Forking {
  /** Asks the model for the turn again. */
  again(turn: number): void;
  /** Runs the program of the turn as its reply. */
  withProgram(turn: number, program: string): void;
}

interface TurnCardProps {
  readonly row: RowProps;
  readonly entry: TurnEntry;
  readonly index: number;
  readonly last: boolean;
  readonly open: boolean;
  readonly invalid: boolean;
  /** Whether the messages are shown as they were before the turn. */
  readonly later: boolean;
  /** The ways to resume the agent; null where turns are edited. */
  readonly forking: Forking | null;
}

export const TurnCard = memo(({ row, entry, index, last, open, invalid, later, forking }: TurnCardProps) => {
  const number = index + 1;
  const isOutdated = useComputed(() => outdated.value.has(entry.id)).value;
  const move = (to: number, button: string): void => {
    moveTurn(entry.id, to);
    focusSoon(fieldId(button, entry));
  };
  return (
    <li
      {...row}
      class="turn"
      data-outcome={entry.success ? "success" : "failure"}
      data-open={open || undefined}
      data-card={entry.id}
      data-turn={number}
      data-later={later || undefined}
    >
      <div class="turn-head">
        {forking === null && (
          <span class="turn-handle" draggable data-drag title="Drag to reorder">
            <Icon name="handle" />
          </span>
        )}
        <h3>
          <button
            type="button"
            class="turn-toggle"
            id={fieldId("turn", entry)}
            aria-expanded={open}
            aria-controls={fieldId("turn-body", entry)}
            onClick={() => setOpen(entry.id, !open)}
          >
            <span class="turn-number">Turn {formatted(number)}</span>
            <span class="badge" data-outcome={entry.success ? "success" : "failure"}>
              <Icon name={entry.success ? "check" : "remove"} />
              {entry.success ? "ok" : "failed"}
            </span>
            {invalid && <span class="badge badge-problem">can’t be read</span>}
            {isOutdated && <span class="badge badge-later">outdated</span>}
            {later && <span class="badge badge-later">not in the messages yet</span>}
            <span class="turn-facts">{factsOf(entry)}</span>
          </button>
        </h3>
        {forking !== null && <ForkButtons entry={entry} number={number} forking={forking} />}
        {forking === null && (
          <div class="turn-actions">
            <RunButton entry={entry} number={number} />
            <IconButton
              icon="up"
              label={`Move turn ${number} up`}
              id={fieldId("up", entry)}
              disabled={index === 0}
              onClick={() => move(index - 1, "up")}
            />
            <IconButton
              icon="down"
              label={`Move turn ${number} down`}
              id={fieldId("down", entry)}
              disabled={last}
              onClick={() => move(index + 1, "down")}
            />
            <IconButton icon="duplicate" label={`Duplicate turn ${number}`} onClick={() => duplicateTurn(entry.id)} />
            <IconButton icon="remove" label={`Delete turn ${number}`} onClick={() => deleteTurn(entry.id)} />
          </div>
        )}
      </div>
      {!open && <div class="turn-preview">{previewOf(entry)}</div>}
      <div id={fieldId("turn-body", entry)} hidden={!open}>
        {open && <TurnEditor entry={entry} number={number} isLive={forking === null} />}
      </div>
    </li>
  );
});

interface ForkButtonsProps {
  readonly entry: TurnEntry;
  readonly number: number;
  readonly forking: Forking;
}

function ForkButtons({ entry, number, forking }: ForkButtonsProps) {
  const isRunning = useComputed(() => running.value !== null).value;
  const hasProgram = entry.program.trim() !== "";
  return (
    <div class="turn-actions turn-forks">
      <button
        type="button"
        class="link"
        aria-label={`Ask again for turn ${number}`}
        title="Keeps the turns before it, and asks the model again"
        aria-disabled={isRunning}
        onClick={() => forking.again(number)}
      >
        Ask again
      </button>
      <button
        type="button"
        class="link"
        aria-label={`Run it and resume: the program of turn ${number}`}
        title="Keeps the turns before it, runs its program, and resumes the agent"
        aria-disabled={isRunning || !hasProgram}
        onClick={() => hasProgram && forking.withProgram(number, entry.program)}
      >
        Run it and resume
      </button>
    </div>
  );
}

function RunButton({ entry, number }: { readonly entry: TurnEntry; readonly number: number }) {
  const isRunning = useComputed(() => running.value?.what === entry.id).value;
  const isOther = useComputed(() => running.value !== null && running.value.what !== entry.id).value;
  return (
    <IconButton
      icon={isRunning ? "stop" : "play"}
      label={isRunning ? `Stop turn ${number}` : `Run turn ${number}`}
      id={fieldId("run", entry)}
      disabled={isOther || entry.program.trim() === ""}
      onClick={() => (isRunning ? stop() : void runTurn(entry.id))}
    />
  );
}

const factsOf = ({ calls, prints }: TurnEntry): string =>
  [calls.length > 0 && counted(calls.length, "call"), prints.length > 0 && counted(prints.length, "print")]
    .filter(Boolean)
    .join(" · ");

const PREVIEW_LINES = 3;

const previewOf = ({ program, reply }: TurnEntry): string => {
  const lines = (program || reply).trim().split("\n");
  return lines.length > PREVIEW_LINES ? [...lines.slice(0, PREVIEW_LINES), "…"].join("\n") : lines.join("\n");
};
