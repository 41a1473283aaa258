import { fromSaved, savedText } from "../saved.ts";
import { loadLater, notice, replace, state } from "../store.ts";
import { isTab, type TabName, tab } from "../tab.ts";

const NAME = "turnfold-playground.json";

const KIND = "turnfold-playground";
const VERSION = 1;

/** As much as a link may unpack to. */
const MOST_BYTES = 16 * 1024 * 1024;

/** The state of the page as a file says it. */
export const fileText = (): string =>
  `${JSON.stringify({ kind: KIND, version: VERSION, tab: tab.value, state: JSON.parse(savedText(state.value)) as unknown }, null, 2)}\n`;

export function download(): void {
  const url = URL.createObjectURL(new Blob([fileText()], { type: "application/json" }));
  Object.assign(document.createElement("a"), { href: url, download: NAME }).click();
  // The download has its own hold on the bytes once it has begun.
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

/** Shows the state of a file; what the page had before can be had back. A file that is none changes nothing. */
export async function upload(file: Blob & { readonly name: string }): Promise<void> {
  try {
    if (file.size > MOST_BYTES) throw new TypeError("it has more than 16 MB");
    await loadLater(
      async () => read(await file.text()),
      ({ state: loaded, shown }) => replace(loaded, null, `Loaded ${file.name}.`, shown),
    );
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    notice.value = {
      tone: "problem",
      text: `${file.name} can’t be loaded: ${why}. Nothing has changed.`,
      undo: null,
    };
  }
}

function read(text: string) {
  const json = parsed(text);
  if (typeof json !== "object" || json === null || Array.isArray(json)) throw new TypeError("it holds no object");
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

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new TypeError("it is no JSON");
  }
}

/** Lets a file be chosen from the machine. */
export function chooseFile(): void {
  const input = Object.assign(document.createElement("input"), { type: "file", accept: ".json,application/json" });
  input.addEventListener("change", () => {
    const [file] = input.files ?? [];
    if (file !== undefined) void upload(file);
  });
  input.click();
}
