import { options, type VNode } from 'preact';
import { visibleText } from '../../src/text/visible-text.ts';

/** Attributes that a person reads or hears. */
const read = ['title', 'aria-label', 'alt', 'placeholder'] as const;

/**
 * Writes hidden characters out wherever the page shows a text, whatever study or file it came from. One place for all pages:
 * a text node is a vnode whose props are the text. Values of fields stay as they are.
 */
export function showHiddenCharacters(): void {
  const before = options.vnode;
  options.vnode = (vnode: VNode) => {
    const { props } = vnode as { props: unknown };
    if (typeof props === 'string') (vnode as { props: unknown }).props = visiblePage(props);
    else if (typeof vnode.type === 'string') {
      const attributes = props as Record<string, unknown>;
      for (const name of read) {
        const text = attributes[name];
        if (typeof text === 'string') attributes[name] = visiblePage(text);
      }
    }
    before?.(vnode);
  };
}

/** The text with hidden characters written out; line ends stay. */
export function visiblePage(text: string): string {
  return text.replaceAll(/[^\r\n\t]+/g, visibleText);
}
