import { IconButton } from "../../controls/button.tsx";
import { Modal } from "../../controls/modal.tsx";
import { dialog, shortcuts } from "../../page/shortcuts.ts";

/** The list of keyboard shortcuts. */
export const ShortcutList = () => (
  <Modal label="Shortcuts" class="shortcuts">
    <div class="modal-head">
      <h2>Shortcuts</h2>
      <IconButton
        icon="remove"
        label="Close the shortcuts"
        onClick={() => {
          dialog.value = null;
        }}
      />
    </div>
    {shortcuts.map(({ title, list }) => (
      <section key={title}>
        <h3>{title}</h3>
        <dl>
          {list.map(({ keys, what }) => (
            <div key={what}>
              <dt>
                {keys.map((key, index) => (
                  <span key={key}>
                    {index > 0 && " or "}
                    <kbd>{key}</kbd>
                  </span>
                ))}
              </dt>
              <dd>{what}</dd>
            </div>
          ))}
        </dl>
      </section>
    ))}
  </Modal>
);
