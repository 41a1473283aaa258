import type { ChatMessage } from "turnfold";
import { estimate } from "turnfold/chat";
import { piecesOf } from "../chat/parts.ts";
import { parsedJson } from "../page/problem.ts";
import { type Ranking, rankingOf } from "../plots/ranks.ts";
import type { Frame } from "../turns/render.ts";

type Sizes = Map<string, number>;

const add = (sizes: Sizes, name: string, tokens: number): void => {
  sizes.set(name, (sizes.get(name) ?? 0) + tokens);
};

/** The name of a definition, a tool or a call at the start of a line of a message. */
const NAME = /^(?:; {3}|\()?([^\s;()[\]{}"]+)/;

/** What fills the request of turns: by definition, by tool, and by the turn that it comes from. */
export function turnFills({ messages, counter }: Pick<Frame, "messages" | "counter">): readonly Ranking[] {
  const [definitions, tools, turns]: [Sizes, Sizes, Sizes] = [new Map(), new Map(), new Map()];
  for (const { kind, text, segments } of messages.flatMap(({ sections }) => sections)) {
    const sizes =
      kind === "user" || kind === "data" ? definitions : kind === "tool" || kind === "toolCalls" ? tools : null;
    if (sizes !== null)
      for (const line of text.split("\n")) {
        const name = NAME.exec(line)?.[1]?.replace(/^tool\//, "");
        if (name !== undefined) add(sizes, name, counter.count(line));
      }
    for (const segment of segments)
      for (const turn of segment.turns)
        add(turns, `turn ${turn}`, Math.round(counter.count(segment.text) / segment.turns.length));
  }
  return [
    rankingOf("By turn", "", turns),
    rankingOf("By definition", "definition", definitions),
    rankingOf("By tool, with its description", "tool", tools),
  ].filter(({ rows }) => rows.length > 0);
}

/** The names of arguments that are paths of files. */
const PATH = /^(?:file|path|file_?path|file_?name|notebook_path|target_file|uri)$/i;

/** What fills a request of a chat: by tool and by file, with calls and results, and the rest by role. */
export function chatFills(messages: readonly ChatMessage[]): readonly Ranking[] {
  const [tools, files, roles]: [Sizes, Sizes, Sizes] = [new Map(), new Map(), new Map()];
  const called = new Map<string, { readonly name: string; readonly file: string | null }>();
  for (const message of messages)
    for (const piece of piecesOf(message)) {
      const tokens = estimate.count(piece.text);
      if (!("id" in piece)) {
        add(roles, message.summary === undefined ? message.role : "summaries", tokens);
        continue;
      }
      if (piece.kind === "call") called.set(piece.id, { name: piece.name, file: fileOf(piece.text) });
      const { name, file } = called.get(piece.id) ?? { name: piece.name, file: null };
      add(tools, name || piece.name || "unknown", tokens);
      if (file !== null) add(files, file, tokens);
    }
  return [
    rankingOf("By tool, calls and results", "tool", tools),
    rankingOf("By file", "file", files),
    rankingOf("Other text, by role", "text:", roles),
  ].filter(({ rows }) => rows.length > 0);
}

/** The first argument of a call that is the path of a file. */
function fileOf(args: string): string | null {
  const given = parsedJson(args);
  if (typeof given !== "object" || given === null) return null;
  const found = Object.entries(given).find(
    ([name, value]) => PATH.test(name) && typeof value === "string" && value !== "",
  );
  return (found?.[1] as string | undefined) ?? null;
}
