import { useSignal } from "@preact/signals";
import { Find } from "../../controls/find.tsx";
import { VirtualList } from "../../controls/virtual-list.tsx";
import { formatted } from "../../page/numbers.ts";
import { acceptFindings, blank, isSearching, typeWords, words } from "../../share/review.ts";
import { type Finding, hint } from "../../share/secrets.ts";

/** The id of the field for words. */
export const WORDS = "share-words";

const FINDINGS = "findings";

const textOf = ({ kind, text, placeholder }: Finding): string => `${kind}\n${text}\n${placeholder}`.toLowerCase();

interface ReviewProps {
  readonly found: readonly Finding[];
  readonly done: () => void;
}

/** The findings in the state. The user chooses which to blank. */
export function Review({ found, done }: ReviewProps) {
  const left = useSignal<ReadonlySet<string>>(new Set());
  return (
    <section class="share-review" aria-label="Before you share">
      <h2>Before you share</h2>
      <p>
        {found.length === 0
          ? "Nothing was found that looks like a key, a password, an address, a number or a user name; there may be some. "
          : `${found.length === 1 ? "This was" : "These were"} found by form; there may be more. `}
        The marked texts become placeholders on the page, and so in links, files, Markdown and code.
      </p>
      <Find list={FINDINGS} label="Find a text" what="text" items={found} textOf={textOf} />
      <div class="share-found" data-scroller="">
        <VirtualList
          name={FINDINGS}
          items={found}
          keyOf={({ text }) => text}
          rowHeight={45}
          gap={0}
          class="share-findings"
          label="Texts that were found"
        >
          {(finding, _, row) => (
            <li {...row} key={finding.text}>
              <label>
                <input
                  type="checkbox"
                  checked={!left.value.has(finding.text)}
                  onChange={({ currentTarget }) => {
                    const next = new Set(left.value);
                    if (currentTarget.checked) next.delete(finding.text);
                    else next.add(finding.text);
                    left.value = next;
                  }}
                />
                <span>
                  <code>{hint(finding)}</code> → <code>{finding.placeholder}</code>
                  <span class="field-hint">
                    {finding.kind}
                    {finding.count > 1 && `, ${formatted(finding.count)} times`}
                  </span>
                </span>
              </label>
            </li>
          )}
        </VirtualList>
      </div>
      <Words />
      <Decision found={found} left={left.value} done={done} />
    </section>
  );
}

/** A separate component, so that a key in the field does not render the list again. */
const Words = () => (
  <label class="share-words">
    More names or words to blank
    <input
      type="text"
      id={WORDS}
      class="input"
      placeholder="Anna Smith, Project Blue"
      value={words.value}
      onInput={({ currentTarget }) => typeWords(currentTarget.value)}
    />
  </label>
);

function Decision({ found, left, done }: ReviewProps & { readonly left: ReadonlySet<string> }) {
  const chosen = found.filter(({ text }) => !left.has(text));
  return (
    <div class="modal-buttons">
      <button
        type="button"
        class="button"
        onClick={() => {
          acceptFindings();
          done();
        }}
      >
        Share as it is
      </button>
      <button
        type="button"
        class="button"
        disabled={chosen.length === 0 && !isSearching.value}
        onClick={async () => {
          if (await blank(left)) done();
        }}
      >
        Blank {formatted(chosen.length)} of {formatted(found.length)}
      </button>
    </div>
  );
}
