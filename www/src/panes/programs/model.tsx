import { AddButton, IconButton } from "../../controls/button.tsx";
import { Choices } from "../../controls/choices.tsx";
import { TextField } from "../../controls/text-field.tsx";
import { focusSoon } from "../../focus.ts";
import { models } from "../../models.ts";
import { fieldId } from "../../problem.ts";
import { SUMMARY_SCRIPT } from "../../programs/calling.ts";
import { editPrograms, programs } from "../../programs/store.ts";
import { running } from "../../running.ts";
import { blankReply, moved, patched, type ReplyRow, without } from "../../state.ts";
import { edit, state } from "../../store.ts";
import { EndpointFields } from "../run/endpoint-fields.tsx";

const summaries = {
  scripted: "Each time the program asks, it gets the next of these replies, as if a model had written it.",
  you: "The call stops at every request, shows it to you, and takes what you reply.",
  endpoint: "A server that speaks the chat completions protocol of OpenAI is asked, straight from this page.",
};

/** Who answers: the same model as on the Run tab, with replies of its own. */
export function ProgramModel() {
  const { model } = state.value;
  return (
    <section class="model program-model" aria-labelledby="program-model-title">
      <h2 class="pane-title" id="program-model-title">
        Model <span class="count">that of the Run tab</span>
      </h2>
      <Choices
        name="model"
        legend="Model"
        options={models}
        value={model}
        disabled={running.value !== null}
        onChange={(name) => edit({ model: name })}
      />
      <p class="strategy-summary">{summaries[model]}</p>
      {model === "scripted" && <Replies />}
      {model === "endpoint" && <EndpointFields />}
    </section>
  );
}

function Replies() {
  const { replies, strategy, options } = programs.value;
  const change = (next: readonly ReplyRow[]): void => editPrograms({ replies: next });
  const move = (row: ReplyRow, to: number, button: string): void => {
    change(moved(programs.value.replies, row.id, to));
    focusSoon(fieldId(button, row));
  };
  return (
    <>
      <ol class="rows">
        {replies.map((row, index) => {
          const which = `reply ${index + 1}`;
          return (
            <li key={row.id} class="row reply-row">
              <TextField
                id={fieldId("program-reply", row)}
                label={`Reply ${index + 1}`}
                code
                lines={1}
                value={row.text}
                onInput={(text) => change(patched(programs.value.replies, row.id, { text }))}
              />
              <div class="reply-actions">
                <IconButton
                  icon="up"
                  label={`Move ${which} up`}
                  id={fieldId("program-reply-up", row)}
                  disabled={index === 0}
                  onClick={() => move(row, index - 1, "program-reply-up")}
                />
                <IconButton
                  icon="down"
                  label={`Move ${which} down`}
                  id={fieldId("program-reply-down", row)}
                  disabled={index === replies.length - 1}
                  onClick={() => move(row, index + 1, "program-reply-down")}
                />
                <IconButton
                  icon="remove"
                  label={`Delete ${which}`}
                  onClick={() => {
                    change(without(programs.value.replies, row.id));
                    focusSoon("add-program-reply");
                  }}
                />
              </div>
            </li>
          );
        })}
      </ol>
      <AddButton
        id="add-program-reply"
        label="Add reply"
        onClick={() => {
          const row = blankReply();
          change([...programs.value.replies, row]);
          focusSoon(fieldId("program-reply", row));
        }}
      />
      {(strategy !== "none" || options.maxTokens !== "") && (
        <p class="field-hint">Asked for a summary of the history, it says: “{SUMMARY_SCRIPT}”</p>
      )}
    </>
  );
}
