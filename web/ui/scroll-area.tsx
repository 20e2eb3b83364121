import type { ComponentChildren } from 'preact';

/** A part that scrolls in itself: keys reach it too, and it is no landmark beside the card it is in. */
export function ScrollArea({
  label,
  kind,
  children,
}: {
  readonly label: string;
  readonly kind: 'scroll' | 'scroll tall' | 'code';
  readonly children: ComponentChildren;
}) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset would group what is filled in
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keys
    <div class={kind} role="group" tabIndex={0} aria-label={label}>
      {children}
    </div>
  );
}
