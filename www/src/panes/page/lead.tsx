import { firstExample } from "../../examples/index.ts";
import { messageOf } from "../../page/problem.ts";
import { dialog } from "../../page/shortcuts.ts";
import { tab } from "../../page/tab.ts";
import { isLeadShown, openExample, origin, showProblem } from "../../states/store.ts";

/** The introduction, with two ways to begin. index.html shows the same until the page is loaded. */
export function Lead() {
  if (!isLeadShown()) return null;
  return (
    <section class="lead" aria-label="What this is">
      <p class="lead-sentence">
        <strong>Edit a turn, and see the message to the model change as you type.</strong>{" "}
        <span>Turnfold keeps it short without losing what the agent learned.</span>{" "}
        <button type="button" class="link" onClick={() => void showAround()}>
          Take a tour
        </button>
      </p>
      <div class="lead-ways">
        <button type="button" class="lead-way primary" onClick={openAnything}>
          Paste your chat
        </button>
        <button type="button" class="lead-way" onClick={() => void seeAgent()}>
          See an agent work
        </button>
      </div>
    </section>
  );
}

export function openAnything(): void {
  dialog.value = "open";
}

async function showAround(): Promise<void> {
  const { takeTour } = await import("../../gallery/take-tour.ts");
  await takeTour(firstExample.id);
}

const AGENT = "expenses";

/** Opens the example of an agent with scripted replies, and runs it. */
async function seeAgent(): Promise<void> {
  try {
    tab.value = "run";
    const [{ runAgent }] = await Promise.all([import("../../run/session.ts"), openExample(AGENT)]);
    if (origin.value?.id === AGENT) await runAgent();
  } catch (error) {
    showProblem(`The agent could not be shown: ${messageOf(error)}.`);
  }
}
