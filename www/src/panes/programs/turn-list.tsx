import { useMemo, useRef } from "preact/hooks";
import type { Field } from "turnfold";
import { AddButton, IconButton } from "../../controls/button.tsx";
import { Find } from "../../controls/find.tsx";
import { Icon } from "../../controls/icon.tsx";
import { TextField } from "../../controls/text-field.tsx";
import { type RowProps, VirtualList } from "../../controls/virtual-list.tsx";
import { focusSoon } from "../../page/focus.ts";
import { type Problem, problemText } from "../../page/problem.ts";
import { memo } from "../../page/reuse.ts";
import { cellNamed, withCell } from "../../programs/cells.ts";
import { turnField } from "../../programs/fields.ts";
import { request, type Shape, shape } from "../../programs/program.ts";
import type { Cell, TurnRow } from "../../programs/state.ts";
import { editTurns, programs, type TurnList } from "../../programs/store.ts";
import { inserted, moved, newId, patched, without } from "../../states/state.ts";
import { openTurns, setOpen } from "../../states/store.ts";
import { CellField } from "./cell-field.tsx";
import { FieldList } from "./field-list.tsx";

/** The noun and the title for the turns of each list. */
const names: Readonly<Record<TurnList, { readonly one: string; readonly title: string }>> = {
  history: { one: "turn", title: "Turn" },
  demos: { one: "demo", title: "Demo" },
};

interface TurnCardsProps {
  readonly list: TurnList;
}

/** All values of a turn, in lower case. */
const wordsOf = ({ values }: TurnRow): string =>
  values
    .map(({ text }) => text)
    .join("\n")
    .toLowerCase();

/** A list of turns of the signature. */
export function TurnCards({ list }: TurnCardsProps) {
  const rows = programs.value[list];
  const fields = shape.value?.turn ?? null;
  const problems = useProblems(list);
  const { one } = names[list];
  return (
    <>
      <Find list={list} label={`Find a ${one}`} what={one} items={rows} textOf={wordsOf} />
      {rows.length > 0 && (
        <VirtualList
          name={list}
          items={rows}
          keyOf={({ id }) => id}
          rowHeight={96}
          gap={8}
          class="turn-list"
          label={list === "history" ? "Turns of the history" : "Demos"}
          indexOf={(id) => rows.findIndex((row) => row.id === rowIdIn(list, id))}
        >
          {(row, index, attributes) => (
            <TurnCard
              key={row.id}
              attributes={attributes}
              list={list}
              row={row}
              index={index}
              isLast={index === rows.length - 1}
              isOpen={openTurns.value.has(row.id)}
              fields={fields}
              problems={problems.get(row.id) ?? NONE}
            />
          )}
        </VirtualList>
      )}
      <AddButton id={`add-${list}`} label={`Add ${one}`} onClick={() => insert(list, rows.length, [])} />
    </>
  );
}

/** The id of the turn that a control of the list belongs to; NaN for none. */
function rowIdIn(list: TurnList, id: string): number {
  const prefix = turnField(list, 0).slice(0, -1);
  return id.startsWith(prefix) ? Number.parseInt(id.slice(prefix.length), 10) : Number.NaN;
}

type RowProblems = ReadonlyMap<string, Problem>;

const NONE: RowProblems = new Map();

/** Problems by turn. A turn with equal problems keeps its object. */
function useProblems(list: TurnList): ReadonlyMap<number, RowProblems> {
  const all = request.value.problems;
  const before = useRef(new Map<number, RowProblems>()).current;
  return useMemo(() => {
    const now = new Map<number, Map<string, Problem>>();
    for (const [id, problem] of all) {
      const row = rowIdIn(list, id);
      if (!Number.isNaN(row)) now.set(row, (now.get(row) ?? new Map()).set(id, problem));
    }
    for (const row of [...before.keys()]) if (!now.has(row)) before.delete(row);
    for (const [row, problems] of now) if (textOf(before.get(row)) !== textOf(problems)) before.set(row, problems);
    return new Map(before);
  }, [all, list]);
}

const textOf = (problems: RowProblems | undefined): string =>
  problems === undefined ? "" : JSON.stringify([...problems]);

function insert(list: TurnList, index: number, values: readonly Cell[]): void {
  const row = { id: newId(), values };
  editTurns(list, (rows) => inserted(rows, index, row));
  setOpen(row.id, true);
  const [first] = shape.value?.turn.inputs ?? [];
  focusSoon(first === undefined ? turnField(list, row.id) : turnField(list, row.id, first.name));
}

function remove(list: TurnList, row: TurnRow, index: number): void {
  editTurns(list, (rows) => without(rows, row.id));
  const neighbour = programs.value[list][index] ?? programs.value[list].at(-1);
  focusSoon(neighbour === undefined ? `add-${list}` : turnField(list, neighbour.id));
}

interface TurnCardProps {
  readonly attributes: RowProps;
  readonly list: TurnList;
  readonly row: TurnRow;
  readonly index: number;
  readonly isLast: boolean;
  readonly isOpen: boolean;
  readonly fields: Shape["turn"] | null;
  readonly problems: RowProblems;
}

const TurnCard = memo(({ attributes, list, row, index, isLast, isOpen, fields, problems }: TurnCardProps) => {
  const { one, title } = names[list];
  const which = `${one} ${index + 1}`;
  const own = problems.get(turnField(list, row.id)) ?? null;
  // No field name begins with a hyphen, so the ids differ from those of fields.
  const button = (name: string): string => `${turnField(list, row.id)}--${name}`;
  const move = (to: number, name: string): void => {
    editTurns(list, (rows) => moved(rows, row.id, to));
    focusSoon(button(name));
  };
  return (
    <li {...attributes} class="turn pair" data-open={isOpen || undefined} data-invalid={problems.size > 0 || undefined}>
      <div class="turn-head">
        <h3>
          <button
            type="button"
            class="turn-toggle"
            id={turnField(list, row.id)}
            aria-expanded={isOpen}
            aria-controls={button("body")}
            onClick={() => setOpen(row.id, !isOpen)}
          >
            <Icon name="chevron" />
            <span class="turn-number">
              {title} {index + 1}
            </span>
            {problems.size > 0 && <span class="badge badge-problem">can’t be used</span>}
          </button>
        </h3>
        <div class="turn-actions">
          <IconButton
            icon="up"
            label={`Move ${which} up`}
            id={button("up")}
            disabled={index === 0}
            onClick={() => move(index - 1, "up")}
          />
          <IconButton
            icon="down"
            label={`Move ${which} down`}
            id={button("down")}
            disabled={isLast}
            onClick={() => move(index + 1, "down")}
          />
          <IconButton
            icon="duplicate"
            label={`Duplicate ${which}`}
            onClick={() => insert(list, index + 1, row.values)}
          />
          <IconButton icon="remove" label={`Delete ${which}`} onClick={() => remove(list, row, index)} />
        </div>
      </div>
      {own !== null && <p class="field-problem pair-problem">{problemText(own)}</p>}
      {!isOpen && <Preview row={row} fields={fields} />}
      <div id={button("body")} hidden={!isOpen}>
        {isOpen && <Values list={list} row={row} which={which} fields={fields} problems={problems} />}
      </div>
    </li>
  );
});

/** The inputs and the outputs, one line each. */
const Preview = ({ row, fields }: Pick<TurnCardProps, "row" | "fields">) => (
  <div class="pair-preview">
    {([fields?.inputs, fields?.outputs] as const).map((side, index) => {
      const texts = (side ?? []).flatMap(({ name }) => cellNamed(row.values, name)?.text ?? []);
      return texts.length === 0 ? null : <p key={index}>{texts.join(" · ")}</p>;
    })}
  </div>
);

type ValuesProps = Pick<TurnCardProps, "list" | "row" | "fields" | "problems"> & { readonly which: string };

function Values({ list, row, which, fields, problems }: ValuesProps) {
  const known = new Set([...(fields?.inputs ?? []), ...(fields?.outputs ?? [])].map(({ name }) => name));
  const others = row.values.filter(({ name }) => !known.has(name));
  const set = (name: string, text: string): void =>
    editTurns(list, (rows) => {
      const now = rows.find(({ id }) => id === row.id);
      return now === undefined ? rows : patched(rows, row.id, { values: withCell(now.values, name, text) });
    });
  const idOf = (name: string): string => turnField(list, row.id, name);
  const side = (name: "input" | "output", all: readonly Field[]) => (
    <fieldset class="pair-side">
      <legend>{name === "input" ? "Inputs" : "Outputs"}</legend>
      <FieldList list={`${name}s of ${which}`} find={`Find an ${name} of ${which}`} fields={all} idOf={idOf}>
        {(field) => {
          const id = idOf(field.name);
          return (
            <CellField
              id={id}
              field={field}
              cell={cellNamed(row.values, field.name)}
              problem={problems.get(id) ?? null}
              of={`of ${which}`}
              onInput={(text) => set(field.name, text)}
            />
          );
        }}
      </FieldList>
    </fieldset>
  );
  return (
    <div class="pair-body">
      {side("input", fields?.inputs ?? [])}
      {side("output", fields?.outputs ?? [])}
      {others.length > 0 && (
        <fieldset class="pair-side pair-others">
          <legend>Not in the signature: left out of the messages</legend>
          <FieldList list={`values of ${which}`} find={`Find a value of ${which}`} fields={others} idOf={idOf}>
            {({ name, text }) => (
              <div class="row pair-other">
                <TextField
                  id={idOf(name)}
                  label={name}
                  fullLabel={`${name} of ${which}`}
                  value={text}
                  lines={1}
                  onInput={(next) => set(name, next)}
                />
                <IconButton icon="remove" label={`Delete ${name} of ${which}`} onClick={() => set(name, "")} />
              </div>
            )}
          </FieldList>
        </fieldset>
      )}
    </div>
  );
}
