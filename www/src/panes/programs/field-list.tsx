import type { ComponentChildren } from "preact";
import { Find } from "../../controls/find.tsx";
import { VirtualList } from "../../controls/virtual-list.tsx";

interface Named {
  readonly name: string;
}

interface FieldListProps<T extends Named> {
  /** The name of the list, unique on the page. */
  readonly list: string;
  /** The label of the search, such as “Find an input”. */
  readonly find: string;
  readonly fields: readonly T[];
  /** The id of the control for the field with this name. */
  readonly idOf: (name: string) => string;
  readonly children: (field: T) => ComponentChildren;
}

/** The approximate height of a field in pixels. */
const FIELD_HEIGHT = 58;

/** Pixels between two fields; must equal the gap in programs.css. */
const FIELD_GAP = 8;

const nameOf = ({ name }: Named): string => name;
const wordsOf = ({ name }: Named): string => name.toLowerCase();

/** The controls for fields of the signature. Long lists are virtual, because a signature may have hundreds of fields. */
export const FieldList = <T extends Named>({ list, find, fields, idOf, children }: FieldListProps<T>) => (
  <>
    <Find list={list} label={find} what="field" items={fields} textOf={wordsOf} />
    <VirtualList
      name={list}
      items={fields}
      keyOf={nameOf}
      rowHeight={FIELD_HEIGHT}
      gap={FIELD_GAP}
      isText
      class="field-list"
      indexOf={(id) => fields.findIndex(({ name }) => idOf(name) === id)}
    >
      {(field, _, row) => (
        <div {...row} key={field.name}>
          {children(field)}
        </div>
      )}
    </VirtualList>
  </>
);
