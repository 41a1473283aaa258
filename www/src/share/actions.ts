import { signal } from "@preact/signals";
import { chooseFile } from "../page/choose-file.ts";
import { formatted } from "../page/numbers.ts";
import { messageOf } from "../page/problem.ts";
import { dialog } from "../page/shortcuts.ts";
import { tab } from "../page/tab.ts";
import { markSafe } from "../states/recent-states.ts";
import { origin, outcome, state } from "../states/store.ts";
import type { CardData } from "./card.ts";
import { toClipboard } from "./clipboard.ts";
import { download, upload } from "./file.ts";
import { isAllShown, isLong, linkNow, shortLink } from "./link.ts";
import { fencedBlock, markdownOf, shortened } from "./markdown.ts";
import { NotNow } from "./not-now.ts";

export interface Action {
  readonly id: string;
  readonly label: string;
  readonly hint: string;
  /** Performs the action. Returns a message about the result; empty when the result is visible. */
  run(): Promise<string>;
}

/** The card of the open dialog. */
export const card = signal<CardData | null>(null);

/** The text that the browser did not allow to copy: the user can copy it by hand. */
export const byHand = signal<string | null>(null);

async function copy(text: Promise<string>, done: string): Promise<string> {
  byHand.value = null;
  try {
    await toClipboard(text);
    return done;
  } catch {
    byHand.value = await text;
    return "The browser does not allow copying: copy the text from the field.";
  }
}

/** A long link, which is copied only after a question. */
export const longLink = signal<string | null>(null);

/** The refusal to copy a link because of its length. */
class TooLong extends Error {
  constructor(readonly link: string) {
    super(
      `The link would have ${formatted(link.length)} characters, and some programs cut links of more than 8,000. “Download JSON” makes a file with the same content.`,
    );
  }
}

async function copyLink(): Promise<string> {
  longLink.value = null;
  // The copy begins before the link is known, because Safari rejects a copy after an `await`.
  const link = linkNow().then((made) => {
    if (isLong(made)) throw new TooLong(made);
    return made;
  });
  try {
    return await copySafely(link);
  } catch (error) {
    if (error instanceof TooLong) longLink.value = error.link;
    throw error;
  }
}

async function copySafely(link: Promise<string>): Promise<string> {
  const now = state.value;
  const isWhole = isAllShown(now, tab.value);
  const message = await copy(link, "Link copied.");
  if (byHand.value === null && isWhole) markSafe(now);
  return message;
}

/** Copies the long link after the question. */
export const copyLongLink: Action = {
  id: "long-link",
  label: "Copy the long link",
  hint: "For programs that accept long links",
  run: () => copySafely(linkNow()),
};

const chatCode = () => import("./chat-code.ts");
const programsCode = () => import("./programs-code.ts");
const turnsCode = () => import("./turns-code.ts");

async function code(): Promise<string> {
  if (tab.value === "chat") return (await chatCode()).chatCode();
  if (tab.value === "programs") return (await programsCode()).programsCode();
  return (await turnsCode()).turnsCode();
}

async function test(): Promise<string> {
  if (tab.value === "chat") return (await chatCode()).chatTest();
  if (tab.value === "programs") return (await programsCode()).programsTest();
  return (await turnsCode()).turnsTest();
}

async function markdown(): Promise<string> {
  const link = await shortLink();
  if (tab.value === "programs") {
    const { title, text } = (await programsCode()).programsMessages();
    return markdownOf(shortened(title), fencedBlock(text, "text"), link);
  }
  if (tab.value === "chat") {
    const { text, count } = (await chatCode()).chatMessages();
    return markdownOf(`A conversation, ${count} messages left`, fencedBlock(text, "json"), link);
  }
  const message = outcome.value.frame?.messages.findLast(({ role }) => role === "user");
  if (message === undefined) throw new NotNow("There is no message: correct the marked fields first.");
  const title = shortened(state.value.mission) || origin.value?.title || "A message of Turnfold";
  return markdownOf(title, fencedBlock(message.content, "text"), link);
}

/** The actions of the share menu. */
export const shareActions: readonly Action[] = [
  {
    id: "link",
    label: "Copy link",
    hint: "What this tab shows is in the link itself; no server keeps it",
    run: copyLink,
  },
  {
    id: "markdown",
    label: "Copy as Markdown",
    hint: "What the model sees, in a block, and the link if it is short",
    run: () => copy(markdown(), "Markdown copied."),
  },
  {
    id: "card",
    label: "Result card",
    hint: "What the strategy saves, as an image or Markdown to post",
    run: async () => {
      const { cardNow } = await import("./card-data.ts");
      card.value = await cardNow();
      dialog.value = "card";
      return "";
    },
  },
  {
    id: "code",
    label: "Copy as code",
    hint: "A program for Node that does the same",
    run: () => copy(code(), "Code copied."),
  },
  {
    id: "test",
    label: "Copy as test",
    hint: "A file for node --test that asserts these messages",
    run: () => copy(test(), "Test copied."),
  },
  {
    id: "download",
    label: "Download JSON",
    hint: "Everything on all tabs, to be uploaded again",
    run: async () => {
      longLink.value = null;
      download();
      markSafe();
      return "Downloaded.";
    },
  },
  {
    id: "upload",
    label: "Upload JSON",
    hint: "Or drop the file on the page",
    run: async () => {
      chooseFile((file) => void upload(file));
      return "";
    },
  },
];

/** Runs an action, and returns a message about its result. */
export async function perform({ run }: Action): Promise<{ readonly isDone: boolean; readonly text: string }> {
  try {
    return { isDone: true, text: await run() };
  } catch (error) {
    return { isDone: false, text: messageOf(error) };
  }
}
