import { formatted } from "../page/numbers.ts";
import { tab } from "../page/tab.ts";
import { origin, outcome, shown, state } from "../states/store.ts";
import { labelOf } from "../turns/options.ts";
import type { CardData } from "./card.ts";
import { isExample, pageAddress, shortLink } from "./link.ts";
import { shortened } from "./markdown.ts";
import { NotNow } from "./not-now.ts";

/** The statistics of the shown tab, as data for a card. */
export async function cardNow(): Promise<CardData> {
  const short = await shortLink();
  const link = short ?? pageAddress();
  if (tab.value === "chat") return { ...(await ofChat()), link };
  if (tab.value === "turns") return { ...ofTurns(short !== null && isExample(short)), link };
  throw new NotNow("The Turns and Chat tabs have a result to show on a card.");
}

function ofTurns(isUnchanged: boolean): Omit<CardData, "link"> {
  const { frame, stale } = shown.value;
  if (frame === null || stale || outcome.value.frame === null)
    throw new NotNow("There is no result: correct the marked fields first.");
  const { plainTokens, tokens, stats, counter } = frame;
  return {
    title: (isUnchanged ? origin.value?.title : shortened(state.value.mission)) || "A history of turns",
    before: plainTokens,
    after: tokens,
    isAbout: counter.method === "estimate",
    strategy: stats.strategy === null ? null : labelOf(stats.strategy),
    strip: [
      { tokens: Math.min(tokens, plainTokens), stays: true },
      { tokens: Math.max(0, plainTokens - tokens), stays: false },
    ],
  };
}

async function ofChat(): Promise<Omit<CardData, "link">> {
  const [{ planned, readNow }, { sizes }, { chat }, { labelOf }] = await Promise.all([
    import("../chat/plan.ts"),
    import("../chat/summaries.ts"),
    import("../chat/store.ts"),
    import("../chat/options.ts"),
  ]);
  readNow();
  const { plan } = planned.value;
  if (plan === null) throw new NotNow("There is no plan: correct the marked fields on the Chat tab first.");
  const { before, after } = sizes.value ?? plan.tokens;
  return {
    title: `A conversation of ${formatted(plan.messages.length)} messages`,
    before,
    after,
    isAbout: true,
    strategy: chat.value.strategy === "none" ? null : labelOf(chat.value.strategy),
    strip: plan.messages.map(({ tokens, fate }) => ({ tokens, stays: fate === "kept" })),
  };
}
