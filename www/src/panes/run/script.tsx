import { useComputed } from "@preact/signals";
import { AddButton, IconButton } from "../../controls/button.tsx";
import { Group } from "../../controls/group.tsx";
import { TextField } from "../../controls/text-field.tsx";
import { focusSoon } from "../../focus.ts";
import { fieldId } from "../../problem.ts";
import { progress } from "../../run/session.ts";
import { blankReply, moved, patched, type ReplyRow, without } from "../../state.ts";
import { edit, state } from "../../store.ts";

/** The replies of a scripted model. */
export function Script() {
  const { replies } = state.value;
  const current = useComputed(() => progress.value?.turn ?? 0).value;
  const change = (next: readonly ReplyRow[]): void => edit({ replies: next });
  const move = (row: ReplyRow, to: number, button: string): void => {
    change(moved(state.value.replies, row.id, to));
    focusSoon(fieldId(button, row));
  };
  const count = replies.length === 0 ? "none yet" : `${replies.length} ${replies.length === 1 ? "reply" : "replies"}`;
  return (
    <Group id="replies" title="Replies" summary={count}>
      <p class="field-hint">A reply is a bare program, or words with one program in a fence.</p>
      <ol class="rows">
        {replies.map((row, index) => {
          const which = `reply ${index + 1}`;
          return (
            <li key={row.id} class="row reply-row" data-current={current === index + 1 || undefined}>
              <TextField
                id={fieldId("reply-text", row)}
                label={`Reply to turn ${index + 1}`}
                code
                lines={1}
                value={row.text}
                onInput={(text) => change(patched(state.value.replies, row.id, { text }))}
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
                    change(without(state.value.replies, row.id));
                    focusSoon("add-reply");
                  }}
                />
              </div>
            </li>
          );
        })}
      </ol>
      <AddButton
        id="add-reply"
        label="Add reply"
        onClick={() => {
          const row = blankReply();
          change([...state.value.replies, row]);
          focusSoon(fieldId("reply-text", row));
        }}
      />
    </Group>
  );
}
