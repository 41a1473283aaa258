import { useMemo } from "preact/hooks";
import { Find } from "../../controls/find.tsx";
import { MAX_ROWS, VirtualList } from "../../controls/virtual-list.tsx";
import { formatted } from "../../page/numbers.ts";
import { type Definition, memory } from "../../running/repl.ts";

/** The definitions of the REPL. */
export function Memory() {
  const definitions = memory.value;
  return (
    <section aria-labelledby="memory-title">
      <h2 id="memory-title" class="pane-title">
        Memory <span class="count">{formatted(definitions.length)}</span>
      </h2>
      {definitions.length === 0 ? (
        <p class="empty">Nothing is defined yet.</p>
      ) : definitions.length <= MAX_ROWS ? (
        <Table definitions={definitions} />
      ) : (
        <LongTable definitions={definitions} />
      )}
    </section>
  );
}

interface TableProps {
  readonly definitions: readonly Definition[];
}

const Table = ({ definitions }: TableProps) => (
  <table class="memory" aria-labelledby="memory-title">
    <thead>
      <tr>
        <th scope="col">Name</th>
        <th scope="col">Type</th>
        <th scope="col">Value</th>
      </tr>
    </thead>
    <tbody>
      {definitions.map(({ name, type, value }) => (
        <tr key={name}>
          <th scope="row">{name}</th>
          <td>{type}</td>
          <td>{value}</td>
        </tr>
      ))}
    </tbody>
  </table>
);

const DEFINITIONS = "definitions";

/** The most characters of a name or type on a line; longer ones are wrapped. */
const MAX_WIDTH = 24;

const textOf = ({ name, type, value }: Definition): string => `${name}\n${type}\n${value}`.toLowerCase();

const widthOf = (texts: readonly string[]): string =>
  `${Math.min(
    MAX_WIDTH,
    texts.reduce((most, { length }) => Math.max(most, length), 0),
  )}ch`;

/** The table for many definitions, made of elements that can be padded in place of the rows that are not rendered. */
function LongTable({ definitions }: TableProps) {
  // Each row has its own layout, so the columns get a fixed width: that of the longest text.
  const widths = useMemo(
    () =>
      `--name:${widthOf(definitions.map(({ name }) => name))};--type:${widthOf(definitions.map(({ type }) => type))}`,
    [definitions],
  );
  return (
    <>
      <Find list={DEFINITIONS} label="Find a definition" what="definition" items={definitions} textOf={textOf} />
      {/* biome-ignore-start lint/a11y/useSemanticElements: the rows of a table element can't be padded */}
      {/* biome-ignore-start lint/a11y/useFocusableInteractive: rows and cells have the focus in grids alone */}
      <div
        role="table"
        class="memory"
        style={widths}
        aria-labelledby="memory-title"
        aria-rowcount={definitions.length + 1}
      >
        <div role="row" class="memory-row memory-head" aria-rowindex={1}>
          <span role="columnheader">Name</span>
          <span role="columnheader">Type</span>
          <span role="columnheader">Value</span>
        </div>
        <VirtualList
          name={DEFINITIONS}
          items={definitions}
          keyOf={({ name }) => name}
          rowHeight={26}
          gap={0}
          isText
          class="memory-rows"
        >
          {({ name, type, value }, index, row) => (
            <div {...row} key={name} role="row" class="memory-row" aria-rowindex={index + 2}>
              <span role="rowheader">{name}</span>
              <span role="cell">{type}</span>
              <span role="cell">{value}</span>
            </div>
          )}
        </VirtualList>
      </div>
      {/* biome-ignore-end lint/a11y/useFocusableInteractive: as above */}
      {/* biome-ignore-end lint/a11y/useSemanticElements: as above */}
    </>
  );
}
