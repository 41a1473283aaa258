import type { Completion } from "turnfold";
import chatTypes from "./types/chat.ts?raw";
import turnsTypes from "./types/turns.ts?raw";

/** The types of a custom strategy as text. */
export const types = { turns: turnsTypes, chat: chatTypes } as const;

interface Declared {
  readonly name: string;
  readonly detail: string;
  readonly doc: string;
  /** Whether it is a member of a type. */
  readonly isMember: boolean;
}

const DECLARATION =
  /(?:\/\*\* (?<doc>.*?) \*\/\s*)?^(?<indent> *)(?:export )?(?:declare )?(?:readonly )?(?:(?<kind>interface|function) )?(?<name>\w+)(?<type>\??(?:\([\s\S]*?\))?: [\s\S]*?;| \{)$/gm;

function declaredIn(text: string): readonly Declared[] {
  let owner = "";
  return [...text.matchAll(DECLARATION)].flatMap(({ groups = {} }) => {
    const { doc = "", indent = "", kind, name = "", type = "" } = groups;
    if (kind === "interface") {
      owner = name;
      return [];
    }
    const isMember = indent !== "";
    const shown = type.replace(/;$/, "").replace(/\s+/g, " ");
    return [{ name, detail: `${isMember ? `${owner}.` : ""}${name}${shown}`, doc, isMember }];
  });
}

const known = { turns: declaredIn(turnsTypes), chat: declaredIn(chatTypes) } as const;

/** The parameters of the method, which a program uses without a dot. */
const PARAMETERS = { turns: ["turns", "memory", "options"], chat: ["messages"] } as const;

/** The members behind a name: of all types if its type is not known, and none of a list or text. */
function membersOf(kind: keyof typeof types, name: string | undefined): readonly Declared[] {
  const members = known[kind].filter(({ isMember }) => isMember);
  const isList = (PARAMETERS[kind] as readonly unknown[]).includes(name) && name !== "options";
  const type = known[kind].find((each) => each.name === name)?.detail.replace(/^.*?: /, "") ?? "";
  if (isList || /\[\]|string/.test(type)) return [];
  const owner = name === "options" ? "Options" : type;
  const own = members.filter(({ detail }) => detail.startsWith(`${owner}.`));
  return own.length > 0 ? own : members;
}

/** Completes names of the types: members behind a dot, and everything elsewhere, where members are taken out of objects. */
export function completionsAt(kind: keyof typeof types, text: string, offset: number): readonly Completion[] {
  const word = /[^\s,()[\]{}";@^`~'#]*$/.exec(text.slice(0, offset))?.[0] ?? "";
  const [, before = "", start = ""] = /^(.*\.)?(.*)$/.exec(word) ?? [];
  const parameters = PARAMETERS[kind].map((name) => ({ name, detail: name, doc: "", isMember: false }));
  const names = before === "" ? [...parameters, ...known[kind]] : membersOf(kind, /(\w+)\??\.$/.exec(before)?.[1]);
  const seen = new Set<string>();
  return names
    .filter(({ name }) => name.startsWith(start) && !seen.has(name) && seen.add(name))
    .map(({ name, detail, doc }) => ({ name: before + name, detail, doc }));
}
