// Runs the Rust tests of tests/browser.rs in a browser.

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { succeeds } from "./process.mjs";
import {
  chromedriver,
  chromium,
  engines,
  firefox,
  geckodriver,
  root,
  wasmRust,
  wasmTarget,
  wasmTestRunner,
} from "./tools.mjs";

/** Runs them in the browser of the other browser tests. */
export function testInChromium() {
  const capabilities = JSON.parse(readFileSync(join(root, "webdriver.json"), "utf8"));
  capabilities["goog:chromeOptions"].binary = chromium();
  return testWasm("chromium", capabilities, { CHROMEDRIVER: chromedriver() });
}

/** Runs them in Firefox, unless it is missing. */
export function testInFirefox() {
  if (engines().Firefox.length > 0) return true;
  const capabilities = { "moz:firefoxOptions": { binary: firefox(), args: ["-headless"] } };
  return testWasm("firefox", capabilities, { GECKODRIVER: geckodriver() });
}

function testWasm(name, capabilities, driver) {
  const settings = join(root, ".cache", `webdriver-${name}.json`);
  mkdirSync(join(root, ".cache"), { recursive: true });
  writeFileSync(settings, JSON.stringify(capabilities));
  const env = {
    ...wasmRust(),
    // The runner takes the first driver that is named.
    ...{ CHROMEDRIVER: undefined, GECKODRIVER: undefined },
    ...driver,
    CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUNNER: wasmTestRunner(),
    WASM_BINDGEN_TEST_WEBDRIVER_JSON: settings,
    WASM_BINDGEN_TEST_ONLY_WEB: "1",
    // Seconds for all tests; the default of 20 is too short for Firefox.
    WASM_BINDGEN_TEST_TIMEOUT: "300",
  };
  return succeeds("cargo", ["test", "--target", wasmTarget, "--test", "browser"], { cwd: root, env });
}
