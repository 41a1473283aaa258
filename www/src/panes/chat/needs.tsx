import { useEffect, useMemo, useState } from "preact/hooks";
import type { Conversation, Plan } from "turnfold/chat";
import type { ChatParameters } from "../../chat/calls.ts";
import { fateAt, findUses } from "../../chat/needs.ts";
import { labelOf } from "../../chat/options.ts";
import { parameters, planned, source } from "../../chat/plan.ts";
import { chat } from "../../chat/store.ts";
import { fateNames, reasonText } from "../../chat/words.ts";
import { counted, formatted } from "../../page/numbers.ts";
import { unlessRefused } from "../../page/problem.ts";
import { type FatedMessage, fatesPlot, listed, type Use } from "../../plots/fates.ts";
import { PlotFigure } from "../../plots/figure.tsx";
import { loads } from "../../states/store.ts";
import { goToMessage } from "./jump.ts";

/** The uses in a conversation with a strategy. */
interface Known {
  readonly uses: readonly Use[] | null;
  readonly failed: string | null;
  readonly of: Conversation | null;
}

const NOTHING: Known = { uses: null, failed: null, of: null };
const PAUSE_MS = 300;

/** The messages by their fates, the values that later calls use, and why one of them was not in its request. */
export function Needs() {
  const { conversation } = source.value;
  const { plan } = planned.value;
  const { given } = parameters.value;
  const [known, setKnown] = useState(NOTHING);
  const [chosen, setChosen] = useState<Use | null>(null);
  const text = JSON.stringify(given);
  useEffect(() => {
    if (conversation === null) return;
    let cancel = (): void => {};
    const timer = setTimeout(() => {
      cancel = findUses(
        conversation,
        given,
        (uses) => setKnown({ uses, failed: null, of: conversation }),
        (failed) => setKnown({ uses: null, failed, of: conversation }),
      );
    }, PAUSE_MS);
    return () => {
      clearTimeout(timer);
      cancel();
      setKnown((before) => (before.of === conversation ? before : NOTHING));
      setChosen(null);
    };
  }, [conversation, text, loads.value]);
  const isKnown = known.of === conversation;
  const uses = isKnown ? known.uses : null;
  const plot = useMemo(
    () => (plan === null || uses === null ? null : fatesPlot({ ...named(uses), messages: fatedMessages(plan), uses })),
    [plan, uses],
  );
  if (conversation === null || plan === null) return null;
  if (isKnown && known.failed !== null)
    return <p class="field-problem">The values that calls use could not be computed: {known.failed}.</p>;
  if (plot === null || uses === null)
    return (
      <p class="empty" role="status">
        Computing which values later calls use …
      </p>
    );
  return (
    <>
      <PlotFigure name="needs" plot={plot} onStep={(step) => setChosen(uses[step] ?? null)} />
      {chosen !== null && <Explanation use={chosen} conversation={conversation} given={given} />}
    </>
  );
}

function named(uses: readonly Use[]): { readonly title: string; readonly finding: string } {
  const { strategy } = chat.value;
  const count = (status: Use["status"]): number =>
    uses.reduce((sum, use) => sum + (use.status === status ? use.values.length : 0), 0);
  const [visible, recoverable, lost] = [count("visible"), count("recoverable"), count("lost")];
  const all = visible + recoverable + lost;
  const title = "What later calls needed";
  if (all === 0) return { title, finding: "No call uses a value that only an earlier message has." };
  const recalled = recoverable === 0 ? "" : `, ${formatted(recoverable)} could be recalled`;
  const finding = `Calls use ${counted(all, "value")} of earlier messages. With “${labelOf(strategy)}”, ${formatted(visible)} were in the request${recalled}, and ${lost === 0 ? "none" : formatted(lost)} ${lost === 1 ? "was" : "were"} missing.`;
  return { title, finding };
}

/** Messages in a digest are told from those that a model summarizes. */
const fatedMessages = ({ messages }: Plan): readonly FatedMessage[] =>
  messages.map(({ tokens, fate, reason }) =>
    fate === "summarized" && reason === "digest"
      ? { tokens, fate: "in a digest", look: { class: "plot-fate", "data-fate": fate, "data-group": "6" } }
      : { tokens, fate: fateNames[fate], look: { class: "plot-fate", "data-fate": fate } },
  );

interface ExplanationProps {
  readonly use: Use;
  readonly conversation: Conversation;
  readonly given: ChatParameters;
}

/** Whether the values were in the request that used them, and why not. */
function Explanation({ use, conversation, given }: ExplanationProps) {
  const fate = useMemo(() => unlessRefused(() => fateAt(conversation, given, use), null), [use, conversation, given]);
  const then =
    fate === null
      ? ""
      : fate.fate === "kept"
        ? use.status === "visible"
          ? "the message was there, unchanged"
          : "an earlier request had lost it already"
        : `the message was ${fateNames[fate.fate]}${reasonText(fate) === "" ? "" : ` ${reasonText(fate)}`}`;
  const why =
    use.status === "visible" && fate !== null && fate.fate !== "kept"
      ? `${then}, and what stands for it has ${use.values.length === 1 ? "the value" : "the values"}`
      : then;
  return (
    <div class="need" role="status" data-status={use.status}>
      <p>
        {listed(use.values)} {use.values.length === 1 ? "was" : "were"}{" "}
        <strong>
          {use.status === "visible"
            ? "in the request"
            : use.status === "recoverable"
              ? "not in the request, and could be recalled"
              : "not in the request"}
        </strong>
        {why === "" ? "" : `: ${why}`}.
      </p>
      <p>
        <button type="button" class="link" onClick={() => goToMessage(use.from)}>
          Message {formatted(use.from + 1)}, which has it
        </button>{" "}
        <button type="button" class="link" onClick={() => goToMessage(use.by)}>
          Message {formatted(use.by + 1)}, which uses it
        </button>
      </p>
    </div>
  );
}
