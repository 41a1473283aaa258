// Runs the case files of runs through the package; tests/it/runs.rs documents the headings. In addition, `:agent` in place of a
// tool's `:answers` is another agent with its own `:replies`; a reply in a block `error` is thrown by the model's callback;
// `:usage` after `## Reply` is the usage that the provider reports; `:template` is a mission with placeholders; `## Then` is an
// agent that gets the previous step as its data.

import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { replay, Step, SubAgent, T } from "turnfold";
import { readClojure } from "turnfold/lisp";
import { camelCase, characters, record, shown } from "./case-options.mjs";
import { casesIn, check, updated } from "./cases.mjs";

/** A tool with the answers of the file. */
function scriptedTool({ answers, ...described }) {
  const given = Array.isArray(answers)
    ? [...answers]
    : new Map([...answers].map(([args, answer]) => [shown(args), answer]));
  const run = async (...all) => {
    const args = all.length === 2 && isPlain(all[0]) ? all[0] : all.slice(0, -1);
    const answer = Array.isArray(given) ? (given.length > 1 ? given.shift() : given[0]) : given.get(shown(args));
    if (answer === undefined) assert.fail(`no answer to ${shown(args)}`);
    if (answer?.throws !== undefined) throw new Error(answer.throws);
    return answer;
  };
  return { ...described, run };
}

const isPlain = (value) =>
  typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype;

/** The agent of a file, and its data. */
function agentOf(given, llm) {
  const { data = {}, replies, mission, template, ...members } = record(given, camelCase);
  const options = { systemPrompt: "SYSTEM", mission: mission ?? T(template), ...members };
  if (Array.isArray(options.compression)) {
    const [name, own] = options.compression;
    options.compression = [name, record(own, camelCase)];
    if (own.counter) options.compression[1].counter = characters;
  }
  for (const name of ["limits", "fieldDescriptions"]) {
    if (options[name]) options[name] = record(options[name], name === "limits" ? camelCase : undefined);
  }
  if (options.tools) {
    const tools = Object.entries(record(options.tools)).map(([name, tool]) => [
      name,
      tool.agent === undefined ? scriptedTool(tool) : agentOf(tool.agent, undefined).agent,
    ]);
    options.tools = Object.fromEntries(tools);
  }
  const said = replies && [...replies];
  const script = said && (() => (said.length > 1 ? said.shift() : said[0]));
  if (llm ?? script) options.llm = llm ?? script;
  return { agent: new SubAgent(options), data: record(data) };
}

/** The missions of a file, each with its sections; after the first mission they begin with `Then`. */
function missionsOf(sections) {
  const missions = [];
  for (const section of sections) {
    if (section.heading === "Given" || section.heading === "Then") missions.push([]);
    missions.at(-1)?.push(section);
  }
  return missions;
}

/** Runs a mission; returns the messages of each request, and the step. */
async function runMission(sections, before) {
  const replies = sections.filter(({ heading }) => heading.startsWith("Reply"));
  const requests = [];
  const llm = ({ messages, turn }) => {
    assert.equal(turn, requests.length + 1);
    requests.push(messages.map((message) => ({ ...message })));
    const reply = replies[requests.length - 1];
    if (reply === undefined) assert.fail("there is no reply to this question");
    const [{ info, text }] = reply.blocks;
    if (info === "error") throw new Error(text);
    const usage = reply.heading.slice("Reply".length);
    return usage === "" ? text : { content: text, usage: record(readClojure(usage), camelCase) };
  };
  const { agent, data } = agentOf(readClojure(sections[0].blocks[0].text), llm);
  const step = await agent.run({ data: before ?? data });
  assert.ok(requests.length >= replies.length, "every reply is asked for");
  return { agent, requests, step };
}

function resultText(step) {
  const { fail, turns, usage, warnings } = step;
  const lines = [
    step.ok
      ? `:return ${shown(turns.at(-1).result)}`
      : `:fail {:reason ${shown(fail.reason)} :message ${shown(fail.message)}}`,
    `:turns ${turns.length}`,
  ];
  if (usage.toolCalls > 0) lines.push(`:tool-calls ${usage.toolCalls}`);
  if (usage.inputTokens !== undefined) lines.push(`:input-tokens ${usage.inputTokens}`);
  if (usage.outputTokens !== undefined) lines.push(`:output-tokens ${usage.outputTokens}`);
  if (warnings.length > 0) lines.push(`:warnings [${warnings.map(shown).join("\n            ")}]`);
  return `{${lines.join("\n ")}}`;
}

/** The sections with the actual output. */
function updatedSections(sections, { requests, step }) {
  let turn = 0;
  return sections.map((section) => {
    const { heading, blocks } = section;
    let made;
    if (heading.startsWith("Reply")) turn++;
    if (heading === "Result") made = [{ info: "clojure", text: resultText(step) }];
    if (heading === "Messages" || heading === "Last message") {
      const messages = requests[turn] ?? assert.fail(`turn ${turn + 1} was never requests for`);
      const system = blocks.some(({ info }) => info === "system");
      made = (heading === "Messages" ? messages : messages.slice(-1))
        .filter(({ role }) => system || role !== "system")
        .map(({ role, content }) => ({ info: role, text: content }));
    }
    return updated(section, made);
  });
}

suite("runs have the requests and results of their files", () => {
  const cases = casesIn("runs");
  assert.ok(cases.length >= 30);
  for (const one of cases) {
    test(`${one.name}: ${one.title}`, async () => {
      const [head, ...sections] = one.sections;
      const texts = [updated(head)];
      let before;
      for (const mission of missionsOf(sections)) {
        const ran = await runMission(mission, before);
        texts.push(...updatedSections(mission, ran));
        await checkStep(ran);
        before = ran.step;
      }
      check("runs", one, texts);
    });
  }
});

/** Checks the properties of every run. */
async function checkStep({ agent, requests, step }) {
  for (const [index, messages] of requests.entries()) assert.deepEqual(step.messagesAt(index + 1), messages);
  const saved = JSON.stringify(step);
  const loaded = Step.fromJSON(saved);
  assert.equal(JSON.stringify(loaded), saved);
  assert.deepEqual(loaded.messages, step.messages);
  if (step.fail?.reason !== "chained_failure") assert.equal(JSON.stringify(await replay(agent, loaded)), saved);
}
