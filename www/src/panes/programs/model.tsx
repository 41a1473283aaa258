import { Choices } from "../../controls/choices.tsx";
import { SUMMARY_SCRIPT } from "../../programs/calling.ts";
import { editPrograms, programs } from "../../programs/store.ts";
import { models } from "../../run/models.ts";
import { running } from "../../running/running.ts";
import { edit, state } from "../../states/store.ts";
import { ReplyRows } from "../reply-rows.tsx";
import { EndpointFields } from "../run/endpoint-fields.tsx";

const summaries = {
  scripted: "Each time the program asks, it gets the next of these replies, as if a model had written it.",
  you: "The call pauses at every request, shows it to you, and uses your reply.",
  endpoint: "This page sends requests directly to a server with OpenAI’s chat completions API.",
};

/** The choice of the model, which is shared with the Run tab; the scripted replies are not. */
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
  return (
    <>
      <ReplyRows
        replies={replies}
        change={(change) => editPrograms({ replies: change(programs.value.replies) })}
        labelOf={(number) => `Reply ${number}`}
      />
      {(strategy !== "none" || options.maxTokens !== "") && (
        <p class="field-hint">Asked for a summary of the history, it says: “{SUMMARY_SCRIPT}”</p>
      )}
    </>
  );
}
