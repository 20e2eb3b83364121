import type { ComponentChildren } from 'preact';

interface ButtonProps {
  readonly kind?: 'primary' | 'plain' | 'danger' | 'quiet';
  readonly onClick?: () => void;
  /** Cannot be pressed, and why, which is told by pointing at it. */
  readonly barred?: string | undefined;
  /** Works: cannot be pressed twice. */
  readonly busy?: boolean;
  readonly submits?: boolean;
  readonly label?: string;
  readonly children: ComponentChildren;
}

export function Button({
  kind = 'plain',
  onClick,
  barred,
  busy = false,
  submits = false,
  label,
  children,
}: ButtonProps) {
  const idle = barred === undefined && !busy;
  return (
    <button
      type={submits ? 'submit' : 'button'}
      class={`button ${kind}`}
      aria-disabled={idle ? undefined : 'true'}
      aria-label={label}
      title={barred}
      onClick={(event) => {
        if (idle) onClick?.();
        else event.preventDefault();
      }}
    >
      {children}
    </button>
  );
}
