import { useMemo, useRef } from "preact/hooks";
import { complete, type KnownNames } from "turnfold/lisp";
import { problemFrom, useChecked } from "../../controls/checking.ts";
import { CodeField } from "../../controls/code-field.tsx";
import { Group } from "../../controls/group.tsx";
import { Icon } from "../../controls/icon.tsx";
import { RUN_KEY } from "../../controls/keys.ts";
import { Splitter } from "../../controls/splitter.tsx";
import type { Problem } from "../../page/problem.ts";
import { memory, type Run, resetRepl, runProgram, runs } from "../../running/repl.ts";
import { running, stop } from "../../running/running.ts";
import { edit, outcome, state } from "../../states/store.ts";
import { DataField, LimitsGroup, listed, Tools, toolsInvalid } from "../turns/givens.tsx";
import { useKnownNames } from "../turns/known-names.ts";
import { Memory } from "./memory.tsx";
import { Runs } from "./runs.tsx";

export function Repl() {
  const { tools } = state.value;
  const panes = useRef<HTMLDivElement>(null);
  return (
    <div class="panes split repl" ref={panes}>
      <section class="pane" id="repl-program" aria-label="Program">
        <Program />
        <div class="brief">
          <h2 class="visually-hidden">Tools, data and limits</h2>
          <Group
            id="tools"
            title="Tools"
            summary={listed(tools.map((tool) => tool.name))}
            invalid={toolsInvalid("repl")}
          >
            <Tools part="repl" />
          </Group>
          <Group
            id="data-group"
            title="Data"
            summary={listed(Object.keys(outcome.value.data))}
            invalid={outcome.value.problems.has("data")}
          >
            <DataField />
          </Group>
          <LimitsGroup />
        </div>
        <Memory />
      </section>
      <Splitter name="Program" controls="repl-program" panes={panes} />
      <section class="pane" aria-label="Runs">
        <Runs />
      </section>
    </div>
  );
}

function Program() {
  const { program } = state.value;
  const names = useKnownNames(() => memory.value.map(({ name }) => name));
  const problems = useProblems(program, names);
  const isRunning = running.value?.what === "repl";
  return (
    <div class="program">
      <CodeField
        id="program"
        label="Program"
        fullLabel="Program"
        hint={`${RUN_KEY}+Enter runs it, Ctrl+Space completes`}
        placeholder="(+ 1 2)"
        value={program}
        problems={problems}
        onInput={(text) => edit({ program: text })}
        complete={(text, offset) => complete(text, offset, names)}
        onRun={() => void runProgram()}
      />
      <div class="run-bar">
        {isRunning ? (
          <button type="button" class="button" onClick={stop}>
            <Icon name="stop" />
            Stop
          </button>
        ) : (
          <button
            type="button"
            class="button primary"
            aria-disabled={running.value !== null || program.trim() === ""}
            onClick={() => void runProgram()}
          >
            <Icon name="play" />
            Run
          </button>
        )}
        <p role="status" class="run-status">
          {isRunning ? "Running …" : statusOf(runs.value[0])}
        </p>
        {(runs.value.length > 0 || memory.value.length > 0) && (
          <button type="button" class="button" title="Clears definitions and runs" onClick={resetRepl}>
            Reset memory
          </button>
        )}
      </div>
    </div>
  );
}

const MAX_STATUS = 120;

function statusOf(run: Run | undefined): string {
  if (run === undefined) return "";
  if (run.error !== null) return `Run ${run.number} failed: ${run.error.message}`;
  const value = run.value ?? "";
  return `Run ${run.number}: ${value.length > MAX_STATUS ? `${value.slice(0, MAX_STATUS)}…` : value}`;
}

/** The problems of a program: the error of its last run, and those that `useChecked` finds without running it. */
function useProblems(program: string, names: KnownNames): readonly Problem[] {
  const known = useChecked(program, names);
  const last = runs.value[0];
  const own = last?.error != null && last.program === program ? last.error : null;
  return useMemo(() => {
    if (own === null) return known;
    const error = problemFrom(own.message, own.hint, own.place);
    const isSame = (other: Problem): boolean =>
      other.place?.start === own.place?.start && other.message === error.message;
    return [error, ...known.filter((other) => !isSame(other))];
  }, [known, own]);
}
