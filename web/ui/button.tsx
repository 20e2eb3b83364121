import type { ComponentChildren } from 'preact';

interface ButtonProps {
  /** `quiet danger` opens a question about something that cannot be undone. */
  readonly kind?: 'primary' | 'plain' | 'danger' | 'quiet' | 'quiet danger';
  readonly onClick?: () => void;
  /** The button is disabled for this reason; shown as its tooltip. */
  readonly disabledReason?: string | undefined;
  /** Work is under way: the button cannot be pressed again. */
  readonly busy?: boolean;
  readonly submits?: boolean;
  readonly label?: string;
  readonly children: ComponentChildren;
}

export function Button({
  kind = 'plain',
  onClick,
  disabledReason,
  busy = false,
  submits = false,
  label,
  children,
}: ButtonProps) {
  const idle = disabledReason === undefined && !busy;
  return (
    <button
      type={submits ? 'submit' : 'button'}
      class={`button ${kind}`}
      aria-disabled={idle ? undefined : 'true'}
      aria-label={label}
      title={disabledReason}
      onClick={(event) => {
        if (idle) onClick?.();
        else event.preventDefault();
      }}
    >
      {children}
    </button>
  );
}
