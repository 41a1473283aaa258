import { AddButton, IconButton } from "../controls/button.tsx";
import { Find } from "../controls/find.tsx";
import { TextField } from "../controls/text-field.tsx";
import { VirtualList } from "../controls/virtual-list.tsx";
import { focusSoon } from "../page/focus.ts";
import { fieldId } from "../page/problem.ts";
import { blankReply, moved, patched, type ReplyRow, without } from "../states/state.ts";
import { indexOfRow, ROW_GAP, textOf } from "./row-list.tsx";

const REPLIES = "replies";

interface ReplyRowsProps {
  readonly replies: readonly ReplyRow[];
  readonly change: (change: (replies: readonly ReplyRow[]) => readonly ReplyRow[]) => void;
  /** Returns the label of the field of a reply, by its number from 1. */
  readonly labelOf: (number: number) => string;
  /** The number of the reply that the model is giving now. */
  readonly current?: number;
}

/** The list of the replies of a scripted model. */
export function ReplyRows({ replies, change, labelOf, current }: ReplyRowsProps) {
  const move = (row: ReplyRow, to: number, button: string): void => {
    change((rows) => moved(rows, row.id, to));
    focusSoon(fieldId(button, row));
  };
  return (
    <>
      <Find list={REPLIES} label="Find a reply" what="reply" items={replies} textOf={textOf} />
      <VirtualList
        name={REPLIES}
        items={replies}
        keyOf={({ id }) => id}
        rowHeight={60}
        gap={ROW_GAP}
        class="rows"
        indexOf={(id) => indexOfRow(replies, id)}
      >
        {(row, index, attributes) => {
          const which = `reply ${index + 1}`;
          return (
            <li {...attributes} key={row.id} class="row reply-row" data-current={current === index + 1 || undefined}>
              <TextField
                id={fieldId("reply-text", row)}
                label={labelOf(index + 1)}
                code
                lines={1}
                value={row.text}
                onInput={(text) => change((rows) => patched(rows, row.id, { text }))}
              />
              <div class="reply-actions">
                <IconButton
                  icon="up"
                  label={`Move ${which} up`}
                  id={fieldId("reply-up", row)}
                  disabled={index === 0}
                  onClick={() => move(row, index - 1, "reply-up")}
                />
                <IconButton
                  icon="down"
                  label={`Move ${which} down`}
                  id={fieldId("reply-down", row)}
                  disabled={index === replies.length - 1}
                  onClick={() => move(row, index + 1, "reply-down")}
                />
                <IconButton
                  icon="remove"
                  label={`Delete ${which}`}
                  onClick={() => {
                    change((rows) => without(rows, row.id));
                    focusSoon("add-reply");
                  }}
                />
              </div>
            </li>
          );
        }}
      </VirtualList>
      <AddButton
        id="add-reply"
        label="Add reply"
        onClick={() => {
          const row = blankReply();
          change((rows) => [...rows, row]);
          focusSoon(fieldId("reply-text", row));
        }}
      />
    </>
  );
}
