import { messageOf, parsedJson } from "../page/problem.ts";
import { saveAs } from "../page/save.ts";
import { isTab, type TabName, tab } from "../page/tab.ts";
import { fromSaved, savedText } from "../states/saved.ts";
import { loadLater, replace, showProblem, state } from "../states/store.ts";
import { KIND } from "./kind.ts";

const NAME = "turnfold-playground.json";

const VERSION = 1;

/** Not all browsers can hold a larger file as one string. */
const MAX_BYTES = 256 * 1024 * 1024;

/** The content of the file with the state of the page. */
export const fileText = (): string =>
  `${JSON.stringify({ kind: KIND, version: VERSION, tab: tab.value, state: JSON.parse(savedText(state.value)) as unknown }, null, 2)}\n`;

export const download = (): void => saveAs(NAME, new Blob([fileText()], { type: "application/json" }));

/** Loads the state of a file. It can be undone. An invalid file changes nothing. */
export async function upload(file: Blob & { readonly name: string }): Promise<void> {
  try {
    if (file.size > MAX_BYTES) throw new TypeError("it has more than 256 MB");
    await loadLater(
      async () => read(await file.text()),
      ({ state: loaded, shown }) => replace(loaded, null, `Loaded ${file.name}.`, shown),
    );
  } catch (error) {
    showProblem(`${file.name} can’t be loaded: ${messageOf(error)}. Nothing has changed.`);
  }
}

function read(text: string) {
  const json = parsedJson(text);
  if (json === undefined) throw new TypeError("it is not JSON");
  if (typeof json !== "object" || json === null || Array.isArray(json)) throw new TypeError("it is not a JSON object");
  const { kind, version, tab: name, state: saved } = json as Readonly<Record<string, unknown>>;
  if (kind !== KIND) {
    const isStep = "turns" in json && "version" in json;
    throw new TypeError(
      isStep
        ? "it looks like a step: “Load step” on the Run tab takes those"
        : `it was not downloaded here: its "kind" is not "${KIND}"`,
    );
  }
  if (version !== VERSION)
    throw new TypeError(`it is of version ${String(version)}, and this page reads version ${VERSION}`);
  const shown: TabName = typeof name === "string" && isTab(name) ? name : tab.value;
  return { state: fromSaved(saved), shown };
}
