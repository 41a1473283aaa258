import { tab, tabs } from "../../page/tab.ts";

/** The bar of tabs. It is one stop of the Tab key; arrow keys move to a tab and show it. */
export function Tabs() {
  const choose = (index: number): void => {
    const chosen = tabs[(index + tabs.length) % tabs.length];
    if (chosen === undefined) return;
    tab.value = chosen.name;
    document.getElementById(`tab-${chosen.name}`)?.focus();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const index = tabs.findIndex(({ name }) => name === tab.value);
    const next = { ArrowRight: index + 1, ArrowLeft: index - 1, Home: 0, End: tabs.length - 1 }[event.key];
    if (next === undefined) return;
    event.preventDefault();
    choose(next);
  };
  return (
    <div class="tabs" role="tablist" aria-label="View" onKeyDown={onKeyDown}>
      {tabs.map(({ name, label }, index) => (
        <button
          key={name}
          type="button"
          role="tab"
          id={`tab-${name}`}
          aria-controls={`panel-${name}`}
          aria-selected={tab.value === name}
          tabIndex={tab.value === name ? 0 : -1}
          onClick={() => choose(index)}
        >
          {label}
        </button>
      ))}
    </div>
  );
}
