import type { ComponentChildren } from 'preact';

/** An area that scrolls, also by keyboard. It is not a landmark, because the card around it is one. */
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
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for form fields
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reached by keys
    <div class={kind} role="group" tabIndex={0} aria-label={label}>
      {children}
    </div>
  );
}
