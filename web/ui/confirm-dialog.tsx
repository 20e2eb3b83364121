import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';
import { Button } from './button.tsx';

/** Asks before an action that cannot be undone. Escape means no. */
export function ConfirmDialog({
  title,
  action,
  danger = false,
  busy = false,
  onAnswer,
  children,
}: {
  readonly title: string;
  readonly action: string;
  readonly danger?: boolean;
  readonly busy?: boolean;
  readonly onAnswer: (yes: boolean) => void;
  readonly children: ComponentChildren;
}) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  // A layout effect: it is cleaned up while the dialog still exists and can give the focus back.
  useLayoutEffect(() => {
    dialog.current?.showModal();
    return () => dialog.current?.close();
  }, []);
  return (
    <dialog
      ref={dialog}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        onAnswer(false);
      }}
    >
      <div class="stack">
        <h2 id={id}>{title}</h2>
        {children}
        <div class="row">
          {/* First, so that it has the focus: pressing Enter changes nothing. */}
          <Button onClick={() => onAnswer(false)}>Cancel</Button>
          <Button kind={danger ? 'danger' : 'primary'} busy={busy} onClick={() => onAnswer(true)}>
            {action}
          </Button>
        </div>
      </div>
    </dialog>
  );
}
