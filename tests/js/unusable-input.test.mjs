// Unusable input is refused with a TurnfoldError by the call that gets it.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Lisp, Step, SubAgent, T } from "turnfold";
import { calibrate, estimate } from "turnfold/chat";
import { Ref } from "turnfold/turns";
import { refuses } from "./refuses.mjs";

const revoked = (target = {}) => {
  const { proxy, revoke } = Proxy.revocable(target, {});
  revoke();
  return proxy;
};

test("options of a run are checked", async () => {
  const lisp = new Lisp();
  for (const options of [null, 3, [], { signal: {} }, { signal: 3 }, { signal: revoked() }, { data: {} }, revoked()]) {
    await assert.rejects(lisp.run("1", options), { code: "invalid_option" });
  }
  assert.equal((await lisp.run("1", { signal: undefined })).value, 1);
});

test("values that throw when they are read are refused", () => {
  refuses(() => Lisp.fromJSON(revoked()), "invalid_json");
  refuses(() => calibrate(revoked(), []), "invalid_counter");
  refuses(() => calibrate(estimate, revoked([])), "invalid_samples");
  refuses(() => T(revoked()), "invalid_template");
  refuses(() => T`a ${revoked()}`, "invalid_template");
});

test("a tool that returns an invalid reference is a failed call", async () => {
  const ref = (members) => Object.assign(Object.create(Ref.prototype), members);
  const strange = [
    { kind: "var", text: Symbol("x") },
    { kind: "var", text: "(x)" },
    { kind: "var", text: "" },
    { kind: Symbol("x"), text: "x" },
    { kind: "regex", text: {} },
    { kind: "regex" },
  ];
  for (const members of strange) {
    const lisp = new Lisp({ tools: { f: async () => ref(members) } });
    assert.equal((await lisp.run("(tool/f)")).error?.kind, "tool_error", String(members.kind));
    refuses(() => new Lisp({ data: { r: ref(members) } }), "invalid_value");
  }
  const lisp = new Lisp();
  await lisp.run('(def x 1) (def r #"a+")');
  const { x, r } = lisp.memory;
  assert.equal((await new Lisp({ memory: { x, r } }).run('(re-find r "baa")')).value, "aa");
  const result = await new Lisp({ keywords: "keep" }).run("(def defined 2)");
  assert.equal((await new Lisp({ data: { v: result.value } }).run("(str data/v)")).ok, true);
});

test("a restored sandbox has its definitions, and given memory replaces them", async () => {
  const lisp = new Lisp();
  await lisp.run("(def x 1) (def y [2])");
  const again = Lisp.fromJSON(lisp.toJSON(), { memory: { y: 3 } });
  assert.equal((await again.run("[x y]")).value.join(), "1,3");
});

test("values that are too large are refused before they are written", async () => {
  /** A value with shared parts, which has 2^levels values when written out. */
  const shared = (levels) => Array.from({ length: levels }).reduce((half) => [half, half], "x");
  for (const value of [new Array(2 ** 32 - 1), shared(24), [shared(24)], { of: shared(30) }]) {
    const { message, details } = refuses(() => new Lisp({ data: { x: value } }), "invalid_value");
    assert.match(message, /^data\.x.* makes more than 4,000,000 values$/);
    assert.ok(details.path.startsWith("data.x"));
    const { error } = await new Lisp({ tools: { f: () => value } }).run("(tool/f)");
    assert.equal(error.kind, "tool_error");
  }
  assert.equal((await new Lisp({ data: { x: shared(16) } }).run("(count (flatten data/x))")).value, 2 ** 16);
});

test("a saved step with an unusable part is refused", async () => {
  const step = await new SubAgent({ mission: "m", llm: () => "```clojure\n(return 1)\n```" }).run({});
  const saved = JSON.parse(JSON.stringify(step));
  const changes = {
    "a return that is no value": (json) => {
      json.return = { $map: 3 };
    },
    "an unknown strategy": (json) => {
      json.request.compression = "nope";
    },
    "options of a strategy": (json) => {
      json.request.compression = ["journal", { keep: -1 }];
    },
    data: (json) => {
      json.request.data = 3;
    },
    "data that are no values": (json) => {
      json.request.data = { $map: 3 };
    },
    tools: (json) => {
      json.request.tools = 4;
    },
    "a number of turns": (json) => {
      json.request.maxTurns = "x";
    },
    "a signature": (json) => {
      json.request.signature = "((";
    },
    "what was sent": (json) => {
      json.sent = [3];
    },
    "messages that were sent": (json) => {
      json.sent = [[{ role: 3 }]];
    },
    "details of a failure": (json) => {
      json.fail = { reason: "x", message: "y", details: { $map: 3 } };
    },
  };
  for (const [name, change] of Object.entries(changes)) {
    const json = structuredClone(saved);
    change(json);
    assert.throws(() => Step.fromJSON(json), { name: "TurnfoldError" }, name);
  }
  assert.equal(Step.fromJSON(saved).return, 1);
});
