interface CheckProps {
  readonly label: string;
  readonly isChecked: boolean;
  readonly onChange: (isChecked: boolean) => void;
  readonly title?: string;
}

/** A checkbox followed by its label. */
export const Check = ({ label, isChecked, onChange, title }: CheckProps) => (
  <label class="check" title={title}>
    <input type="checkbox" checked={isChecked} onChange={(event) => onChange(event.currentTarget.checked)} />
    {label}
  </label>
);
