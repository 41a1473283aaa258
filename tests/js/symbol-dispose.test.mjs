// The package in an engine without Symbol.dispose, such as WebKit's.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import { transform } from "esbuild";

/** Replaces `Symbol` by one without the symbols of `using`. */
const withoutSymbols = `{
  const native = Symbol;
  const { dispose, asyncDispose, ...members } = Object.getOwnPropertyDescriptors(native);
  globalThis.Symbol = Object.defineProperties((text) => native(text), members);
}`;

for (const entry of ["turnfold", "turnfold/slim"]) {
  test(`in a realm without Symbol.dispose, using disposes of what ${entry} makes`, async () => {
    const program = `
      console.assert(!("dispose" in Symbol));
      const { init, Lisp, Renderer } = await import("${entry}");
      ${entry === "turnfold" ? "" : 'await init((await import("node:fs")).readFileSync("dist/turnfold.wasm"));'}
      const made = [];
      {
        using renderer = new Renderer({ mission: "Find the cheapest lamp" });
        using lisp = new Lisp();
        made.push(() => renderer.render(), () => lisp.runSync("1"), () => [Renderer, Lisp]);
        renderer.render();
      }
      const codeOf = (act) => {
        try {
          return act();
        } catch ({ code }) {
          return code;
        }
      };
      const names = (type) => Reflect.ownKeys(type.prototype).filter((key) => /undefined|dispose/.test(String(key)));
      console.log(JSON.stringify([...made.slice(0, 2).map(codeOf), ...made[2]().flatMap(names).map(String)]));`;
    const { code } = await transform(program, { target: "es2022" });
    assert.doesNotMatch(code, /\busing /);
    const args = ["--input-type=module", "--eval", `${withoutSymbols}\n${code}`];
    const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: "utf8" });
    assert.equal(stderr, "");
    const members = ["dispose", "Symbol(Symbol.dispose)"];
    assert.deepEqual(JSON.parse(stdout), ["disposed", "disposed", ...members, ...members]);
  });
}
