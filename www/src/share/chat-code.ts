import type { StrategyCall } from "../chat/calls.ts";
import { parameters, planned, readNow } from "../chat/plan.ts";
import { givenIn, isSaved, type Shape, unwrapped } from "../chat/reading.ts";
import type { ChatState } from "../chat/state.ts";
import { chat } from "../chat/store.ts";
import { result, summaryTexts } from "../chat/summaries.ts";
import { samples } from "../custom/samples.ts";
import { problemText } from "../page/problem.ts";
import { customCode } from "./custom-code.ts";
import { Code, JsWriter } from "./js-text.ts";
import { moduleOf, testOf } from "./module.ts";
import { NotNow } from "./not-now.ts";

/** A program that compresses the chat and prints the result. */
export function chatCode(): string {
  const { writer, body } = written();
  return moduleOf(writer, `${body}\nconsole.log(JSON.stringify(managed.conversation, null, 2));\n`);
}

/** A test that the program produces the messages of the page. */
export function chatTest(): string {
  const { writer, body, messages } = written();
  return testOf(writer, body, "JSON.parse(JSON.stringify(managed.conversation.messages))", messages);
}

/** The messages of the result as JSON. */
export function chatMessages(): { readonly text: string; readonly count: number } {
  const { messages } = managedNow().conversation;
  return { text: JSON.stringify(messages, null, 2), count: messages.length };
}

function managedNow() {
  readNow();
  const { managed, problem, waits } = result.value;
  if (managed !== null) return managed;
  if (planned.value.plan === null)
    throw new NotNow("There is no plan: correct the marked fields on the Chat tab first.");
  throw new NotNow(waits ?? (problem === null ? "There is no result yet." : problemText(problem)));
}

function written() {
  const managed = managedNow();
  const writer = new JsWriter("turnfold/chat");
  const requests = planned.value.plan?.requests.length ?? 0;
  const lines = [`const conversation = ${conversationOf(chat.value, writer)};`, ""];
  const options: [string, unknown][] = [];
  if (requests > 0) {
    lines.push("// What a model wrote; ask yours here.", `const summaries = ${writer.value(summaryTexts.value)};`);
    lines.push("let asked = 0;", "");
    options.push(["llm", new Code("() => summaries[asked++]")]);
  }
  const { strategies, others } = parameters.value.given;
  if (strategies.some(({ name }) => name === "custom"))
    lines.unshift(customCode(chat.value.customStrategy || samples.chat, writer));
  const given = writer.members(
    [
      ["compressionStrategy", strategies.length === 0 ? undefined : callsOf(strategies, writer)],
      ...Object.entries(others),
    ],
    0,
  );
  const rest = options.length === 0 ? "" : `, ${writer.members(options, 0)}`;
  lines.push(`const managed = await ${writer.use("manageHistory")}(conversation, ${given}${rest});`, "");
  const messages: unknown = JSON.parse(JSON.stringify(managed.conversation.messages));
  return { writer, body: lines.join("\n"), messages };
}

/** The formats whose names are no identifiers of the package: the entry, the export, and the member of it. */
const exportsOf: Partial<Record<Shape, readonly [entry: string, name: string, member: string]>> = {
  "openai-responses": ["openai", "openai", ".responses"],
  "ai-sdk": ["ai-sdk", "aiSdk", ""],
};

function conversationOf({ messages, shape: choice }: ChatState, writer: JsWriter): string {
  const [shape, given] = givenIn(JSON.parse(messages) as unknown, choice);
  if (shape !== "own") {
    const [entry, exported, member] = exportsOf[shape] ?? [shape, shape, ""];
    return `${writer.use(exported, `turnfold/formats/${entry}`)}${member}.from(${writer.value(given)})`;
  }
  const name = writer.use("Conversation");
  if (isSaved(given)) return `${name}.fromJSON(${writer.value(given)})`;
  return `new ${name}(${writer.members([["messages", unwrapped(given, "own")]], 0)})`;
}

const callsOf = (calls: readonly StrategyCall[], writer: JsWriter): readonly Code[] =>
  calls.map(({ name, args }) => new Code(name === "custom" ? "strategy" : writer.call(name, args, 2)));
