import { currentTime } from "../boundary/clock.ts";
import { parseArguments } from "../chat/call-arguments.ts";
import { isPlainObject, type PlainObject } from "../formats/data.ts";
import { writeArguments } from "../formats/tool-parts.ts";
import type { ModelToolCall } from "../model/model.ts";

/** A call, or a piece of one. What it does not have is empty. */
interface CallPiece {
  id: string;
  index: number | undefined;
  name: string;
  /** The text of the arguments; some servers send the arguments themselves. */
  args: string | PlainObject;
}

/**
 * Assembles the tool calls of a completion from their pieces.
 *
 * A piece with a known id belongs to the call with that id, and a new id begins a call. Without an id, a piece belongs to
 * the newest call with its index; without an index, to the newest call, unless it names another tool. A piece that can't
 * continue a call, because the arguments of the call are complete, begins one.
 *
 * @internal
 */
export class CallAssembler {
  private readonly begun: CallPiece[] = [];

  /** Adds an item of `tool_calls`. */
  add(item: unknown): void {
    if (!isPlainObject(item)) return;
    const piece = pieceOf(item);
    const call = this.callOf(piece);
    if (call === undefined) {
      if (piece.id !== "" || piece.name !== "" || piece.args !== "") this.begun.push(piece);
    } else if (!isNext(call, piece)) {
      append(call, piece);
    } else if (textOf(call) !== textOf(piece)) {
      // The second of two calls may have no head of its own. Repetitions of a call are ignored.
      this.begun.push({ ...piece, id: piece.id === call.id ? "" : piece.id, name: piece.name || call.name });
    }
  }

  /** Returns the calls. Those without an id get one that no other reply has. */
  calls(): ModelToolCall[] {
    return this.begun.map(({ id, name, args }) => ({
      id: id === "" ? newId() : id,
      name,
      args: typeof args === "string" ? parseArguments(args) : args,
    }));
  }

  /** Returns the call that a piece belongs to by its id, index or position; undefined if the piece begins one. */
  private callOf({ id, index, name }: CallPiece): CallPiece | undefined {
    const known = id === "" ? undefined : this.begun.find((call) => call.id === id);
    if (known !== undefined) return known;
    const newest = this.begun.at(-1);
    const call = index === undefined ? newest : this.begun.filter((each) => each.index === index).at(-1);
    if (call === undefined) return id === "" && name === "" ? newest : undefined;
    const isOther = index === undefined && name !== "" && name !== call.name;
    // A new id without a name at the index of a call is another id for it.
    const isNew = id !== "" && call.id !== "" && (name !== "" || index === undefined);
    return isOther || isNew ? undefined : call;
  }
}

function pieceOf({ id, index, function: given }: PlainObject): CallPiece {
  const { name, arguments: args } = isPlainObject(given) ? given : {};
  return {
    id: typeof id === "string" || typeof id === "number" ? String(id) : "",
    index: typeof index === "number" ? index : undefined,
    name: typeof name === "string" ? name : "",
    args: typeof args === "string" || isPlainObject(args) ? args : "",
  };
}

/** True for a piece that can't continue the call: the arguments are complete, and it has more, or another name. */
function isNext(call: CallPiece, { name, args }: CallPiece): boolean {
  const isBlank = typeof args === "string" && args.trim() === "";
  const hasMore = isBlank ? name !== "" && name !== call.name : typeof args !== "string" || /^\s*\{/.test(args);
  // Some servers begin all arguments with an empty object.
  return hasMore && isComplete(call.args) && !(name === "" && textOf(call) === "{}");
}

function isComplete(args: CallPiece["args"]): boolean {
  return typeof args !== "string" || (args.trimEnd().endsWith("}") && isPlainObject(parseArguments(args)));
}

function textOf({ args }: CallPiece): string {
  return typeof args === "string" ? args.trim() : writeArguments(args);
}

function append(call: CallPiece, { id, name, args }: CallPiece): void {
  if (call.id === "") call.id = id;
  // Some servers split a name, and some repeat it in each piece.
  call.name = name.startsWith(call.name) ? name : call.name + name;
  if (typeof args !== "string" || textOf(call) === "{}") {
    if (args !== "") call.args = args;
  } else if (typeof call.args === "string") {
    call.args += args;
  }
}

/** The number of ids that were made. */
let made = 0;

function newId(): string {
  return `call_${currentTime().toString(36)}_${made++}`;
}
