import { complete, type KnownNames } from "turnfold";
import { AddButton, IconButton } from "../controls/button.tsx";
import { Choices } from "../controls/choices.tsx";
import { CodeField } from "../controls/code-field.tsx";
import { TextField } from "../controls/text-field.tsx";
import { focusSoon } from "../focus.ts";
import { memoryOf } from "../history.ts";
import { fieldId } from "../problem.ts";
import {
  blankCall,
  blankFunction,
  blankPrint,
  type CallRow,
  type FunctionRow,
  type PrintRow,
  patched,
  type TurnEntry,
  without,
} from "../state.ts";
import { editTurn, outcome, state } from "../store.ts";

interface TurnEditorProps {
  readonly entry: TurnEntry;
  readonly number: number;
}

/** The fields of one turn. */
export function TurnEditor({ entry, number }: TurnEditorProps) {
  const of = `of turn ${number}`;
  const change = (patch: Partial<TurnEntry>): void => editTurn(entry.id, patch);
  return (
    <div class="turn-body">
      <Ending entry={entry} number={number} />
      <div data-part="program">
        <CodeField
          id={fieldId("program", entry)}
          label="Program"
          fullLabel={`Program ${of}`}
          value={entry.program}
          complete={(text, offset) => complete(text, offset, namesFor(entry))}
          onInput={(program) => change({ program })}
        />
      </div>
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
              hint="the program’s value; seen where turns are not folded"
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
        </div>
      )}
      <div data-part="reply">
        <TextField
          id={fieldId("reply", entry)}
          label="Reply"
          hint="the model’s words; empty: the program in a fence"
          lines={1}
          value={entry.reply}
          onInput={(reply) => change({ reply })}
        />
      </div>
    </div>
  );
}

/** The names that a turn's program may use: tools, data, and definitions of earlier turns. */
function namesFor(entry: TurnEntry): KnownNames {
  const { turns, tools } = state.value;
  const before = turns.slice(
    0,
    turns.findIndex(({ id }) => id === entry.id),
  );
  return {
    tools: tools.map((tool) => tool.name.trim()).filter((name) => name !== ""),
    data: Object.keys(outcome.value.data),
    memory: Object.keys(memoryOf(before).values),
  };
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
  const change = (prints: readonly PrintRow[]): void => editTurn(entry.id, { prints });
  return (
    <fieldset class="list" data-part="prints">
      <legend>Prints</legend>
      <ul class="rows">
        {entry.prints.map((print, index) => (
          <li key={print.id} class="row print-row">
            <TextField
              id={fieldId("print", print)}
              label={`Print ${index + 1} of turn ${number}`}
              quiet
              code
              lines={1}
              value={print.text}
              onInput={(text) => change(patched(entry.prints, print.id, { text }))}
            />
            <IconButton
              icon="remove"
              label={`Delete print ${index + 1} of turn ${number}`}
              onClick={() => {
                change(without(entry.prints, print.id));
                focusSoon(fieldId("add-print", entry));
              }}
            />
          </li>
        ))}
      </ul>
      <AddButton
        id={fieldId("add-print", entry)}
        label="Add print"
        onClick={() => {
          const print = blankPrint();
          change([...entry.prints, print]);
          focusSoon(fieldId("print", print));
        }}
      />
    </fieldset>
  );
}

function Calls({ entry, number }: TurnEditorProps) {
  const change = (calls: readonly CallRow[]): void => editTurn(entry.id, { calls });
  return (
    <fieldset class="list" data-part="calls">
      <legend>Tool calls</legend>
      <ul class="rows">
        {entry.calls.map((call, index) => {
          const which = `call ${index + 1} of turn ${number}`;
          const patch = (part: Partial<CallRow>): void => change(patched(entry.calls, call.id, part));
          return (
            <li key={call.id} class="row call-row">
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
                placeholder="what it gave"
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
              <IconButton
                icon="remove"
                label={`Delete ${which}`}
                onClick={() => {
                  change(without(entry.calls, call.id));
                  focusSoon(fieldId("add-call", entry));
                }}
              />
            </li>
          );
        })}
      </ul>
      <AddButton
        id={fieldId("add-call", entry)}
        label="Add call"
        onClick={() => {
          const call = blankCall();
          change([...entry.calls, call]);
          focusSoon(fieldId("call", call));
        }}
      />
    </fieldset>
  );
}

function Functions({ entry, number }: TurnEditorProps) {
  const change = (functions: readonly FunctionRow[]): void => editTurn(entry.id, { functions });
  return (
    <fieldset class="list" data-part="memory">
      <legend>Functions defined</legend>
      <ul class="rows">
        {entry.functions.map((row, index) => {
          const which = `function ${index + 1} of turn ${number}`;
          const patch = (part: Partial<FunctionRow>): void => change(patched(entry.functions, row.id, part));
          return (
            <li key={row.id} class="row function-row">
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
              <IconButton
                icon="remove"
                label={`Delete ${which}`}
                onClick={() => {
                  change(without(entry.functions, row.id));
                  focusSoon(fieldId("add-function", entry));
                }}
              />
            </li>
          );
        })}
      </ul>
      <AddButton
        id={fieldId("add-function", entry)}
        label="Add function"
        onClick={() => {
          const row = blankFunction();
          change([...entry.functions, row]);
          focusSoon(fieldId("function", row));
        }}
      />
    </fieldset>
  );
}
