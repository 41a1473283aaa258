import { useComputed } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { AddButton } from "../../controls/button.tsx";
import { Check } from "../../controls/check.tsx";
import { Deferred } from "../../controls/deferred.tsx";
import { Icon } from "../../controls/icon.tsx";
import { MAX_ROWS, VirtualList } from "../../controls/virtual-list.tsx";
import { allowReordering } from "../../page/drag.ts";
import { formatted } from "../../page/numbers.ts";
import { shownOf } from "../../page/view.ts";
import { runsLive } from "../../running/outdated.ts";
import { runAll, running, stop } from "../../running/running.ts";
import type { TurnEntry } from "../../states/state.ts";
import { addTurn, moveTurn, openTurns, outcome, state } from "../../states/store.ts";
import { TURNS } from "../../turns/provenance.ts";
import { type Forking, TurnCard } from "./turn.tsx";

/** The button that runs the programs of all turns, or stops them. */
function RunAllButton() {
  const isRunning = running.value !== null && running.value.what !== "repl";
  const isPossible = state.value.turns.some((turn) => turn.program.trim() !== "");
  if (!isRunning && !isPossible) return null;
  return (
    <button type="button" class="button" onClick={() => (isRunning ? stop() : void runAll())}>
      <Icon name={isRunning ? "stop" : "play"} />
      {isRunning ? "Stop" : "Run all"}
    </button>
  );
}

const loadFind = async () => (await import("./find-turn.tsx")).FindTurn;

/** The index of the turn that has this id or contains a row with it; -1 for none. */
const indexOfHolder = (turns: readonly TurnEntry[], id: number): number =>
  turns.findIndex(
    (turn) =>
      turn.id === id || [turn.prints, turn.calls, turn.functions].some((rows) => rows.some((row) => row.id === id)),
  );

interface TurnsProps {
  /** With it, the agent can resume at each turn. */
  readonly forking?: Forking | null;
  /** The turn that is not at its end. */
  readonly unfinished?: ComponentChildren;
}

/** The list of turns. */
export function Turns({ forking = null, unfinished }: TurnsProps) {
  const { turns } = state.value;
  const list = useRef<HTMLElement | null>(null);
  useEffect(() => {
    if (list.current === null) return;
    const indexOf = (id: number): number => state.value.turns.findIndex((turn) => turn.id === id);
    return allowReordering(list.current, (id, onto) => moveTurn(id, indexOf(onto)));
  }, []);
  const inMessages = useComputed(() => shownOf(state.value.turns.length)).value;
  const owners = new Set(outcome.value.owners.values());
  return (
    <section class="turns" aria-labelledby="turns-title">
      <div class="turns-head">
        <h2 id="turns-title" class="pane-title">
          Turns <span class="count">{formatted(turns.length)}</span>
        </h2>
        {forking === null && (
          <>
            <Check
              label="Run while typing"
              isChecked={runsLive.value}
              onChange={(isChecked) => {
                runsLive.value = isChecked;
              }}
              title="A program that you edit runs after a pause, with recorded or scripted answers; then those that depend on it"
            />
            <RunAllButton />
          </>
        )}
      </div>
      {turns.length > MAX_ROWS && <Deferred load={loadFind} what="The search" props={{ turns }} />}
      <VirtualList
        name={TURNS}
        items={turns}
        keyOf={({ id }) => id}
        rowHeight={96}
        gap={8}
        class="turn-list"
        element={list}
        indexOf={(id) => indexOfHolder(turns, Number(/-(\d+)$/.exec(id)?.[1] ?? 0))}
      >
        {(entry, index, row) => (
          <TurnCard
            key={entry.id}
            row={row}
            entry={entry}
            index={index}
            last={index === turns.length - 1}
            open={openTurns.value.has(entry.id)}
            invalid={owners.has(entry)}
            later={index >= inMessages}
            forking={forking}
          />
        )}
      </VirtualList>
      {unfinished}
      {turns.length === 0 && !unfinished && (
        <p class="empty">No turns yet: the message on the right is the request of the first turn.</p>
      )}
      {forking === null && <AddButton id="add-turn" label="Add turn" onClick={addTurn} />}
    </section>
  );
}
