interface StartFromProps<E> {
  readonly examples: readonly E[];
  readonly isOpen: (example: E) => boolean;
  readonly open: (example: E) => void;
}

/** The examples of a tab. */
export const StartFrom = <E extends { readonly title: string; readonly summary: string }>({
  examples,
  isOpen,
  open,
}: StartFromProps<E>) => (
  <div class="start-from">
    <span class="field-hint">Start from</span>
    {examples.map((example) => (
      <button
        key={example.title}
        type="button"
        class="button"
        title={example.summary}
        aria-pressed={isOpen(example)}
        onClick={() => open(example)}
      >
        {example.title}
      </button>
    ))}
  </div>
);
