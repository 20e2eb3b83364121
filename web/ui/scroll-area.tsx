import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';

/** Sides on which an area has more than it shows. */
type More = 'none' | 'left' | 'right' | 'both';

/**
 * An area that scrolls, also by keyboard. A shadow on its edge shows that there is more. It is not a landmark, because the
 * card around it is one.
 */
export function ScrollArea({
  label,
  kind,
  children,
}: {
  readonly label: string;
  readonly kind: 'scroll' | 'scroll tall';
  readonly children: ComponentChildren;
}) {
  const area = useRef<HTMLDivElement>(null);
  const [more, setMore] = useState<More>('none');
  const look = () => {
    if (area.current !== null) setMore(moreOf(area.current));
  };
  useEffect(() => {
    const watch = new ResizeObserver(look);
    watch.observe(area.current!);
    const [content] = area.current!.children;
    if (content !== undefined) watch.observe(content);
    return () => watch.disconnect();
  }, []);
  return (
    <div class="more" data-more={more}>
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset is for form fields */}
      <div
        class={kind}
        ref={area}
        role="group"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reached by keys
        tabIndex={0}
        aria-label={label}
        onScroll={look}
      >
        {children}
      </div>
    </div>
  );
}

function moreOf({ scrollLeft, scrollWidth, clientWidth }: HTMLElement): More {
  const left = scrollLeft > 1;
  const right = scrollLeft + clientWidth < scrollWidth - 1;
  if (left) return right ? 'both' : 'left';
  return right ? 'right' : 'none';
}
