import { useComputed } from "@preact/signals";
import { Group } from "../../controls/group.tsx";
import { progress } from "../../run/session.ts";
import { edit, state } from "../../states/store.ts";
import { ReplyRows } from "../reply-rows.tsx";

/** The replies of a scripted model. */
export function Script() {
  const { replies } = state.value;
  const current = useComputed(() => progress.value?.turn ?? 0).value;
  const count = replies.length === 0 ? "none yet" : `${replies.length} ${replies.length === 1 ? "reply" : "replies"}`;
  return (
    <Group id="replies" title="Replies" summary={count}>
      <p class="field-hint">A reply is a bare program, or words with one program in a fence.</p>
      <ReplyRows
        replies={replies}
        change={(change) => edit({ replies: change(state.value.replies) })}
        labelOf={(number) => `Reply to turn ${number}`}
        current={current}
      />
    </Group>
  );
}
