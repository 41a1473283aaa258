import { useComputed } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { complete, type KnownNames } from "turnfold/lisp";
import { Choices } from "../../controls/choices.tsx";
import { CodeField } from "../../controls/code-field.tsx";
import { TextField } from "../../controls/text-field.tsx";
import { fieldId } from "../../page/problem.ts";
import { outdated, programEdited } from "../../running/outdated.ts";
import { blankCall, blankFunction, blankPrint, type TurnEntry } from "../../states/state.ts";
import { editTurn, state } from "../../states/store.ts";
import { memoryOf } from "../../turns/history.ts";
import { RowList } from "../row-list.tsx";
import { knownNames } from "./known-names.ts";

interface TurnEditorProps {
  readonly entry: TurnEntry;
  readonly number: number;
}

/** The fields of one turn. With `isLive`, its program runs while it is edited. */
export function TurnEditor({ entry, number, isLive }: TurnEditorProps & { readonly isLive: boolean }) {
  const why = useComputed(() => outdated.value.get(entry.id) ?? null).value;
  const problems = useMemo(() => (why === null ? [] : [why]), [why]);
  const of = `of turn ${number}`;
  const change = (patch: Partial<TurnEntry>): void => editTurn(entry.id, patch);
  return (
    <div class="turn-body">
      <div data-part="program">
        <CodeField
          id={fieldId("program", entry)}
          label="Program"
          fullLabel={`Program ${of}`}
          value={entry.program}
          complete={(text, offset) => complete(text, offset, namesFor(entry))}
          problems={problems}
          onInput={(program) => {
            change({ program });
            if (isLive) void programEdited(entry);
          }}
        />
      </div>
      <Ending entry={entry} number={number} />
      <Calls entry={entry} number={number} />
      <Prints entry={entry} number={number} />
      {entry.success ? (
        <>
          <div data-part="memory">
            <CodeField
              id={fieldId("memory", entry)}
              label="Memory"
              fullLabel={`Memory ${of}`}
              hint="values that this turn defined, {:name value}; earlier ones stay"
              value={entry.memory}
              onInput={(memory) => change({ memory })}
            />
          </div>
          <Functions entry={entry} number={number} />
          <div data-part="result">
            <CodeField
              id={fieldId("result", entry)}
              label="Result"
              fullLabel={`Result ${of}`}
              hint="the program’s value; shown when turns are not folded"
              value={entry.result}
              onInput={(result) => change({ result })}
            />
          </div>
        </>
      ) : (
        <div class="row error-row" data-part="error">
          <TextField
            id={fieldId("reason", entry)}
            label="Reason"
            placeholder="unbound_var"
            code
            value={entry.reason}
            onInput={(reason) => change({ reason })}
          />
          <TextField
            id={fieldId("message", entry)}
            label="Message"
            value={entry.message}
            onInput={(message) => change({ message })}
          />
          <TextField id={fieldId("hint", entry)} label="Hint" value={entry.hint} onInput={(hint) => change({ hint })} />
          <TextField
            id={fieldId("lost", entry)}
            label="Not kept"
            hint="names that the program would have defined"
            value={entry.lost}
            onInput={(lost) => change({ lost })}
          />
        </div>
      )}
      <div data-part="reply">
        <TextField
          id={fieldId("reply", entry)}
          label="Reply"
          hint="the model’s whole reply; empty: the program in a code fence"
          lines={1}
          value={entry.reply}
          onInput={(reply) => change({ reply })}
        />
      </div>
    </div>
  );
}

function namesFor({ id }: TurnEntry): KnownNames {
  const { turns } = state.value;
  const index = turns.findIndex((turn) => turn.id === id);
  return knownNames(Object.keys(memoryOf(turns.slice(0, index)).values));
}

const endings = [
  { name: "success", label: "Succeeded" },
  { name: "failure", label: "Failed" },
] as const;

const Ending = ({ entry, number }: TurnEditorProps) => (
  <Choices
    name={fieldId("ending", entry)}
    legend={`How turn ${number} ended`}
    options={endings}
    value={entry.success ? "success" : "failure"}
    onChange={(name) => editTurn(entry.id, { success: name === "success" })}
  />
);

function Prints({ entry, number }: TurnEditorProps) {
  return (
    <fieldset class="list" data-part="prints">
      <legend>Prints</legend>
      <RowList
        list={fieldId("prints", entry)}
        rowHeight={32}
        rows={entry.prints}
        change={(change) => editTurn(entry.id, { prints: change(entry.prints) })}
        kind="print-row"
        what="print"
        of={`of turn ${number}`}
        blank={blankPrint}
        firstField="print"
        addId={fieldId("add-print", entry)}
        addLabel="Add print"
      >
        {(print, _, patch, index) => (
          <TextField
            id={fieldId("print", print)}
            label={`Print ${index} of turn ${number}`}
            quiet
            code
            lines={1}
            value={print.text}
            onInput={(text) => patch({ text })}
          />
        )}
      </RowList>
    </fieldset>
  );
}

function Calls({ entry, number }: TurnEditorProps) {
  return (
    <fieldset class="list" data-part="calls">
      <legend>Tool calls</legend>
      <RowList
        list={fieldId("calls", entry)}
        rowHeight={110}
        rows={entry.calls}
        change={(change) => {
          editTurn(entry.id, { calls: change(entry.calls) });
          // A call may be the answer that the program was waiting for.
          if (outdated.value.has(entry.id)) void programEdited(entry);
        }}
        kind="call-row"
        what="call"
        of={`of turn ${number}`}
        blank={blankCall}
        firstField="call"
        addId={fieldId("add-call", entry)}
        addLabel="Add call"
      >
        {(call, which, patch) => (
          <>
            <TextField
              id={fieldId("call", call)}
              label={`Tool of ${which}`}
              placeholder="tool"
              quiet
              code
              value={call.name}
              onInput={(name) => patch({ name })}
            />
            <CodeField
              id={fieldId("args", call)}
              label="Arguments"
              placeholder="arguments, {:query &quot;x&quot;}"
              fullLabel={`Arguments of ${which}`}
              quiet
              value={call.args}
              onInput={(args) => patch({ args })}
            />
            <CodeField
              id={fieldId("call-result", call)}
              label="Result"
              placeholder="its result"
              fullLabel={`Result of ${which}`}
              quiet
              value={call.result}
              onInput={(result) => patch({ result })}
            />
            <TextField
              id={fieldId("call-error", call)}
              label={`Error of ${which}`}
              placeholder="error, if it failed"
              quiet
              value={call.error}
              onInput={(error) => patch({ error })}
            />
          </>
        )}
      </RowList>
    </fieldset>
  );
}

function Functions({ entry, number }: TurnEditorProps) {
  return (
    <fieldset class="list" data-part="memory">
      <legend>Functions defined</legend>
      <RowList
        list={fieldId("functions", entry)}
        rowHeight={64}
        rows={entry.functions}
        change={(change) => editTurn(entry.id, { functions: change(entry.functions) })}
        kind="function-row"
        what="function"
        of={`of turn ${number}`}
        blank={blankFunction}
        firstField="function"
        addId={fieldId("add-function", entry)}
        addLabel="Add function"
      >
        {(row, which, patch) => (
          <>
            <TextField
              id={fieldId("function", row)}
              label={`Name of ${which}`}
              placeholder="name"
              quiet
              code
              value={row.name}
              onInput={(name) => patch({ name })}
            />
            <TextField
              id={fieldId("params", row)}
              label={`Parameters of ${which}`}
              placeholder="a b & rest"
              quiet
              code
              value={row.params}
              onInput={(params) => patch({ params })}
            />
            <TextField
              id={fieldId("returns", row)}
              label={`Type that ${which} returned`}
              placeholder="returned"
              quiet
              code
              value={row.returns}
              onInput={(returns) => patch({ returns })}
            />
            <TextField
              id={fieldId("doc", row)}
              label={`Docstring of ${which}`}
              placeholder="docstring"
              quiet
              value={row.doc}
              onInput={(doc) => patch({ doc })}
            />
          </>
        )}
      </RowList>
    </fieldset>
  );
}
