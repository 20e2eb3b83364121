import type { RefObject } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { announce } from '../../ui/announce.ts';

/** Moves the focus to the first heading of a new part of the page, and announces it. */
export function useHeadingFocus(wanted = true): RefObject<HTMLDivElement> {
  const part = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const heading = wanted ? part.current?.querySelector<HTMLElement>('h2') : undefined;
    if (heading === null || heading === undefined) return;
    heading.tabIndex = -1;
    heading.focus({ preventScroll: true });
    heading.closest('section')?.scrollIntoView({ block: 'start' });
    announce(heading.textContent ?? '');
  }, []);
  return part as RefObject<HTMLDivElement>;
}
