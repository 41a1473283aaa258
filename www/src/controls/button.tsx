import { Icon, type IconName } from "./icon.tsx";

interface IconButtonProps {
  readonly icon: IconName;
  readonly label: string;
  readonly onClick: () => void;
  readonly id?: string;
  readonly disabled?: boolean;
  readonly pressed?: boolean;
}

/** `disabled` keeps the button in the tab order, so that focus is not lost when a row reaches the end of its list. */
export const IconButton = ({ icon, label, onClick, id, disabled, pressed }: IconButtonProps) => (
  <button
    type="button"
    class="icon-button"
    id={id}
    aria-label={label}
    title={label}
    aria-disabled={disabled}
    aria-pressed={pressed}
    onClick={() => {
      if (disabled !== true) onClick();
    }}
  >
    <Icon name={icon} />
  </button>
);

export const AddButton = ({
  label,
  onClick,
  id,
}: {
  readonly label: string;
  readonly onClick: () => void;
  readonly id?: string;
}) => (
  <button type="button" class="add-button" id={id} onClick={onClick}>
    <Icon name="add" />
    {label}
  </button>
);
