import type { ComponentChildren } from 'preact';
import type { PageFailure } from '../page-failure.ts';

interface NoticeProps {
  readonly kind: 'info' | 'good' | 'warn' | 'bad';
  readonly title?: string | undefined;
  readonly children?: ComponentChildren;
}

/** A message in the page. Screen readers announce a bad one at once. */
export function Notice({ kind, title, children }: NoticeProps) {
  return (
    <div class={`notice ${kind}`} role={kind === 'bad' ? 'alert' : undefined}>
      {title !== undefined && <strong>{title}</strong>}
      {children !== undefined && <div class="body">{children}</div>}
    </div>
  );
}

/** A failure: the problem, its place, and the remedy. */
export function FailureNotice({
  failure,
  children,
}: {
  readonly failure: PageFailure;
  readonly children?: ComponentChildren;
}) {
  const { problem, remedy, place } = failure;
  const where = [
    place?.file,
    place?.row === undefined ? undefined : `row ${place.row}`,
    place?.column === undefined ? undefined : `column “${place.column}”`,
  ].filter((part) => part !== undefined);
  return (
    <Notice kind="bad" title={sentence(problem)}>
      {where.length > 0 && <p class="mono">{where.join(', ')}</p>}
      {remedy !== '' && <p>{sentence(remedy)}</p>}
      {children}
    </Notice>
  );
}

/** With a full stop, and a capital letter unless it begins with a call such as poly(). */
export function sentence(text: string): string {
  const trimmed = text.trim();
  const ended = /[.!?…]$/.test(trimmed) ? trimmed : `${trimmed}.`;
  // The name of a function, such as poly(), is written as R has it.
  if (/^[\w.]+\(/.test(ended)) return ended;
  return ended.charAt(0).toUpperCase() + ended.slice(1);
}
