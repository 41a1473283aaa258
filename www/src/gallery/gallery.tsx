import "../style/gallery.css";
import { useEffect, useState } from "preact/hooks";
import { IconButton } from "../controls/button.tsx";
import { Modal } from "../controls/modal.tsx";
import { examples, type ListedExample } from "../examples/list.ts";
import { formatted } from "../page/numbers.ts";
import { dialog } from "../page/shortcuts.ts";
import { labelOf, recentStates } from "../states/recent-states.ts";
import { reopenState } from "../states/reopen.ts";
import { openExample, origin } from "../states/store.ts";
import { type Part, type Picture, pictureOf } from "./pictures.ts";
import { isTourSeen } from "./seen.ts";
import { takeTour } from "./take-tour.ts";

/** The examples as questions with pictures, and the states that the user left. */
export function Gallery() {
  const pictures = usePictures();
  return (
    <Modal label="Examples" class="gallery">
      <div class="modal-head">
        <h2>Examples</h2>
        <IconButton icon="remove" label="Close the examples" onClick={close} />
      </div>
      <ul class="gallery-cards" aria-label="Examples">
        {examples.map((example) => (
          <Card key={example.id} example={example} picture={pictures.get(example.id)} />
        ))}
      </ul>
      <p class="field-hint">
        A picture has the next request in tokens: above without a strategy, below as it is sent. The colours are those
        of the page.
      </p>
      {recentStates.value.length > 0 && (
        <section class="gallery-recent">
          <h3>Previous states</h3>
          <ul>
            {recentStates.value.map((entry) => (
              <li key={entry.id}>
                <button
                  type="button"
                  class="link"
                  onClick={() => {
                    close();
                    void reopenState(entry.id);
                  }}
                >
                  {labelOf(entry)}
                </button>
              </li>
            ))}
          </ul>
        </section>
      )}
    </Modal>
  );
}

function close(): void {
  dialog.value = null;
}

interface CardProps {
  readonly example: ListedExample;
  /** Undefined until it is drawn, null if it can't be drawn. */
  readonly picture: Picture | null | undefined;
}

function Card({ example: { id, question, title, look, hasTour = false }, picture }: CardProps) {
  return (
    <li class="gallery-card" data-example={id} data-tour={hasTour || undefined}>
      <button
        type="button"
        class="gallery-open"
        aria-current={origin.value?.id === id || undefined}
        onClick={() => {
          close();
          void openExample(id);
        }}
      >
        <Drawing picture={picture} />
        <strong>{question}</strong>
        <span>{hasTour ? look : title}</span>
        {hasTour && <span>{title}</span>}
        <small>{sizesOf(picture)}</small>
      </button>
      {hasTour && (
        <button
          type="button"
          class="button"
          onClick={() => {
            close();
            void takeTour(id);
          }}
        >
          {isTourSeen(id) ? "Take the tour again" : "Take the tour: 4 steps"}
          <span class="visually-hidden">, {question}</span>
        </button>
      )}
    </li>
  );
}

const tokensOf = (parts: readonly Part[]): number => parts.reduce((sum, { tokens }) => sum + tokens, 0);

function sizesOf(picture: Picture | null | undefined): string {
  if (picture === undefined) return "…";
  if (picture === null) return "The picture could not be drawn";
  if (picture.tokens === null) return "Questions and answers";
  const [from, to] = picture.tokens;
  return `${to < from ? `${formatted(from)} → ` : ""}${formatted(to)} tokens`;
}

const WIDTH = 240;
const HEIGHT = 56;

/** Two bars of the same scale, a rectangle for each part. */
function Drawing({ picture }: Pick<CardProps, "picture">) {
  const { before = [], after = [] } = picture ?? {};
  const scale = WIDTH / Math.max(tokensOf(before), tokensOf(after), 1);
  const bar = (parts: readonly Part[], y: number) => {
    let x = 0;
    return parts.map(({ tokens, kind, fate }, index) => {
      const width = tokens * scale;
      x += width;
      return (
        <rect
          key={`${y} ${index}`}
          x={x - width}
          y={y}
          width={Math.max(width - 0.5, 0.25)}
          height={22}
          data-kind={kind}
          data-fate={fate}
        />
      );
    });
  };
  return (
    <svg class="gallery-picture" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
      {bar(before, 4)}
      {bar(after, 30)}
    </svg>
  );
}

/** The pictures, which stay drawn while the page is open. */
const drawn = new Map<string, Picture | null>();

/** Draws one picture after another, so that keys and presses are handled between them. */
function usePictures(): ReadonlyMap<string, Picture | null> {
  const [pictures, setPictures] = useState<typeof drawn>(new Map(drawn));
  useEffect(() => {
    let isOpen = true;
    void (async () => {
      for (const example of examples.filter(({ id }) => !drawn.has(id))) {
        await new Promise((resolve) => setTimeout(resolve));
        if (!isOpen) return;
        drawn.set(example.id, await pictureOf(example).catch(() => null));
        setPictures(new Map(drawn));
      }
    })();
    return () => {
      isOpen = false;
    };
  }, []);
  return pictures;
}
