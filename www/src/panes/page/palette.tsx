import { useComputed, useSignal } from "@preact/signals";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { Modal } from "../../controls/modal.tsx";
import { type Command, commands, matching } from "../../page/commands.ts";
import { dialog } from "../../page/shortcuts.ts";

const optionId = (index: number): string => `command-${index}`;

/** The command palette: typing finds a command, Enter runs it. */
export function Palette() {
  const query = useSignal("");
  const chosen = useSignal(0);
  // The commands that were available when the palette was opened.
  const all = useMemo(commands, []);
  const found = useComputed(() => matching(all, query.value)).value;
  const active = Math.min(chosen.value, found.length - 1);
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    list.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: "nearest" });
  }, [active, found]);
  const run = (command: Command | undefined): void => {
    if (command === undefined) return;
    dialog.value = null;
    // Runs after the dialog has returned the focus.
    requestAnimationFrame(() => void command.run());
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const last = found.length - 1;
    const next = {
      ArrowDown: active === last ? 0 : active + 1,
      ArrowUp: active <= 0 ? last : active - 1,
      PageDown: Math.min(last, active + 8),
      PageUp: Math.max(0, active - 8),
    }[event.key];
    if (event.key === "Enter" && !event.isComposing) {
      event.preventDefault();
      run(found[active]);
    } else if (next !== undefined) {
      event.preventDefault();
      chosen.value = next;
    }
  };
  return (
    <Modal label="Commands" class="palette">
      <input
        type="text"
        class="input"
        role="combobox"
        aria-label="Command"
        aria-expanded="true"
        aria-controls="commands"
        aria-autocomplete="list"
        aria-activedescendant={active < 0 ? undefined : optionId(active)}
        placeholder="What to do"
        autocomplete="off"
        spellcheck={false}
        autofocus
        value={query.value}
        onInput={(event) => {
          query.value = event.currentTarget.value;
          chosen.value = 0;
        }}
        onKeyDown={onKeyDown}
      />
      <div class="commands" id="commands" role="listbox" aria-label="Commands" ref={list}>
        {found.map((command, index) => (
          <button
            type="button"
            key={`${command.group} ${command.label}`}
            id={optionId(index)}
            role="option"
            aria-selected={index === active}
            tabIndex={-1}
            onPointerMove={() => {
              chosen.value = index;
            }}
            onClick={() => run(command)}
          >
            <span class="command-group">{command.group}</span>
            <span>{command.label}</span>
            {command.keys !== undefined && <kbd>{command.keys}</kbd>}
          </button>
        ))}
      </div>
      <p role="status" class={found.length === 0 ? "empty" : "visually-hidden"}>
        {found.length === 0 ? "No command has these words." : `${found.length} commands`}
      </p>
    </Modal>
  );
}
