// Runs the Rust tests of tests/browser.rs in a browser, with wasm-pack.

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { succeeds } from "./process.mjs";
import {
  chromedriver,
  chromium,
  engines,
  firefox,
  geckodriver,
  root,
  wasmBindgen,
  wasmPack,
  wasmRust,
} from "./tools.mjs";

/** Runs them in the browser of the other browser tests. */
export function testInChromium() {
  const capabilities = JSON.parse(readFileSync(join(root, "webdriver.json"), "utf8"));
  capabilities["goog:chromeOptions"].binary = chromium();
  return testWasm("chromium", capabilities, ["--chrome", "--chromedriver", chromedriver()]);
}

/** Runs them in Firefox, unless it is missing. */
export function testInFirefox() {
  if (engines().Firefox.length > 0) return true;
  const capabilities = { "moz:firefoxOptions": { binary: firefox(), args: ["-headless"] } };
  return testWasm("firefox", capabilities, ["--firefox", "--geckodriver", geckodriver()]);
}

function testWasm(name, capabilities, driver) {
  const settings = join(root, ".cache", `webdriver-${name}.json`);
  mkdirSync(join(root, ".cache"), { recursive: true });
  writeFileSync(settings, JSON.stringify(capabilities));
  const env = {
    ...wasmRust(),
    PATH: [dirname(wasmBindgen()), process.env.PATH].join(delimiter),
    WASM_BINDGEN_TEST_WEBDRIVER_JSON: settings,
    // Seconds for all tests; the default of 20 is too short for Firefox.
    WASM_BINDGEN_TEST_TIMEOUT: "300",
  };
  const args = ["test", "--headless", ...driver, "--mode", "no-install", "--", "--test", "browser"];
  return succeeds(wasmPack(), args, { cwd: root, env });
}
