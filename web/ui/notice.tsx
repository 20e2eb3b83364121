import type { ComponentChildren } from 'preact';
import type { Trouble } from '../desk/trouble.ts';

interface NoticeProps {
  readonly kind: 'info' | 'good' | 'warn' | 'bad';
  readonly title?: string | undefined;
  readonly children?: ComponentChildren;
}

/** Something to know before going on. What is bad is told at once to those who listen. */
export function Notice({ kind, title, children }: NoticeProps) {
  return (
    <div class={`notice ${kind}`} role={kind === 'bad' ? 'alert' : undefined}>
      {title !== undefined && <strong>{title}</strong>}
      {children !== undefined && <div class="body">{children}</div>}
    </div>
  );
}

/** What went wrong, where, and what would help. */
export function TroubleNotice({
  trouble,
  children,
}: {
  readonly trouble: Trouble;
  readonly children?: ComponentChildren;
}) {
  const { problem, remedy, place } = trouble;
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

/** With a capital letter and a full stop. */
export function sentence(text: string): string {
  const trimmed = text.trim();
  const ended = /[.!?…]$/.test(trimmed) ? trimmed : `${trimmed}.`;
  return ended.charAt(0).toUpperCase() + ended.slice(1);
}
