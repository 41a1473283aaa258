import { messageOf } from "../../page/problem.ts";
import { saveAs } from "../../page/save.ts";
import "../../style/sharing.css";
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { CopyButton } from "../../controls/copy-button.tsx";
import { Modal } from "../../controls/modal.tsx";
import { dialog } from "../../page/shortcuts.ts";
import { card } from "../../share/actions.ts";
import { type CardData, cardMarkdown, drawCard, spokenCard } from "../../share/card.ts";
import { blobToClipboard } from "../../share/clipboard.ts";

const FILE = "turnfold-result.png";

/** The card with the result, to be copied or downloaded. */
export const ResultCard = () => (card.value === null ? null : <Card data={card.value} />);

function Card({ data }: { readonly data: CardData }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const status = useSignal("");
  useEffect(() => {
    if (canvas.current !== null) drawCard(canvas.current, data);
  }, [data]);
  const image = (): Promise<Blob> =>
    new Promise((resolve, reject) => {
      canvas.current?.toBlob((blob) => (blob === null ? reject(new Error("there is no image")) : resolve(blob)));
    });
  const copy = async (): Promise<void> => {
    try {
      await blobToClipboard("image/png", image());
      status.value = "Image copied.";
    } catch (error) {
      status.value = `This browser can’t copy images here: download the image. (${messageOf(error)})`;
    }
  };
  const download = async (): Promise<void> => {
    saveAs(FILE, await image());
    status.value = "Downloaded.";
  };
  return (
    <Modal label="Result card" class="result-card">
      <canvas ref={canvas} role="img" aria-label={spokenCard(data)} />
      <div class="modal-buttons">
        <span role="status">{status.value}</span>
        <CopyButton text={cardMarkdown(data)} label="Copy as Markdown" caption="Copy as Markdown" />
        <button type="button" class="button" onClick={() => void copy()}>
          Copy image
        </button>
        <button type="button" class="button" onClick={() => void download()}>
          Download PNG
        </button>
        <button
          type="button"
          class="button"
          onClick={() => {
            dialog.value = null;
          }}
        >
          Close
        </button>
      </div>
    </Modal>
  );
}
