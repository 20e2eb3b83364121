/** A short state, such as "open". */
export function Tag({
  kind = 'plain',
  children,
}: {
  readonly kind?: 'plain' | 'good' | 'warn' | 'bad' | 'accent';
  readonly children: string;
}) {
  return <span class={kind === 'plain' ? 'tag' : `tag ${kind}`}>{children}</span>;
}
