import type { RefObject } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';

/** Smallest width of a chart; in a narrower box it scrolls. */
const LEAST = 220;

/** Width of an element in pixels, known before the first paint; undefined while it has none. */
export function useWidth(): [RefObject<HTMLDivElement | null>, number | undefined] {
  const box = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState<number>();
  useLayoutEffect(() => {
    const element = box.current;
    if (element === null) return;
    const measure = () => {
      const pixels = Math.floor(element.clientWidth);
      if (pixels > 0) setWidth(Math.max(LEAST, pixels));
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return [box, width];
}
