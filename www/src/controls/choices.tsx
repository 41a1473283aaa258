interface ChoicesProps<N extends string> {
  /** The name of the radio buttons, unique on the page. */
  readonly name: string;
  /** The accessible name; visible only with `labelled`. */
  readonly legend: string;
  readonly labelled?: boolean;
  readonly options: readonly { readonly name: N; readonly label: string; readonly hint?: string }[];
  readonly value: N;
  readonly onChange: (name: N) => void;
  readonly disabled?: boolean;
  /** Whether the labels are identifiers, which are shown as code. */
  readonly code?: boolean;
}

/** Radio buttons: a choice with all options visible. */
export const Choices = <N extends string>({
  name,
  legend,
  labelled,
  options,
  value,
  onChange,
  disabled,
  code,
}: ChoicesProps<N>) => (
  <fieldset class={labelled === true ? "choices-field" : undefined}>
    <legend class={labelled === true ? undefined : "visually-hidden"}>{legend}</legend>
    <div class={code === true ? "choices code-choices" : "choices"}>
      {options.map((option) => (
        <label key={option.name} class="choice" title={option.hint}>
          <input
            type="radio"
            name={name}
            value={option.name}
            checked={option.name === value}
            disabled={disabled}
            onChange={() => onChange(option.name)}
          />
          <span>{option.label}</span>
        </label>
      ))}
    </div>
  </fieldset>
);
