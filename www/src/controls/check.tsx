interface CheckProps {
  readonly label: string;
  readonly isChecked: boolean;
  readonly onChange: (isChecked: boolean) => void;
  readonly title?: string;
  /** A class beside that of all of them. */
  readonly class?: string;
}

/** A checkbox with its label behind it. */
export const Check = ({ label, isChecked, onChange, title, class: more }: CheckProps) => (
  <label class={more === undefined ? "check" : `check ${more}`} title={title}>
    <input type="checkbox" checked={isChecked} onChange={(event) => onChange(event.currentTarget.checked)} />
    {label}
  </label>
);
