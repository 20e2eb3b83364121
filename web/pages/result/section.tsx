import type { ComponentChildren, ComponentType } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { TroubleNotice } from '../../ui/notice.tsx';
import type { PartProps } from './part.ts';

/** A part of the page by its name, which the contents lead to. */
export interface SectionName {
  readonly id: string;
  readonly title: string;
  readonly about?: ComponentChildren;
}

/** A named part; its heading can be focused, since no address may lead to it. */
export function Section({
  id,
  title,
  about,
  aside,
  children,
}: SectionName & { readonly aside?: ComponentChildren; readonly children: ComponentChildren }) {
  return (
    <section class="card" id={id} aria-labelledby={`${id}-title`}>
      <header>
        <h2 id={`${id}-title`} tabIndex={-1}>
          {title}
        </h2>
        {aside}
        {about !== undefined && <p>{about}</p>}
      </header>
      {children}
    </section>
  );
}

export interface LaterSection extends SectionName {
  /** Pixels it will take about, on a narrow and on a wide screen. */
  readonly room: readonly [narrow: number, wide: number];
  readonly load: () => Promise<ComponentType<PartProps>>;
}

/** A part that is loaded and worked out when it comes near the screen. */
export function LaterPart({
  section,
  given,
}: {
  readonly section: LaterSection;
  readonly given: PartProps;
}) {
  const { load, room, ...name } = section;
  const place = useRef<HTMLDivElement>(null);
  const [part, setPart] = useState<{ Part: ComponentType<PartProps> }>();
  const [failed, setFailed] = useState(false);
  useEffect(() => {
    const watch = new IntersectionObserver(
      (entries) => {
        if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
        watch.disconnect();
        load().then(
          (Part) => setPart({ Part }),
          () => setFailed(true),
        );
      },
      { rootMargin: '1200px' },
    );
    watch.observe(place.current!);
    return () => watch.disconnect();
  }, []);
  return (
    <Section {...name}>
      <div
        ref={place}
        class="stack later"
        style={{ '--narrow': `${room[0]}px`, '--wide': `${room[1]}px` }}
      >
        {part !== undefined ? (
          <part.Part {...given} />
        ) : failed ? (
          <TroubleNotice trouble={lost} />
        ) : (
          <div class="waiting" />
        )}
      </div>
    </Section>
  );
}

const lost = {
  kind: 'network',
  problem: 'This part of the page could not be loaded.',
  remedy: 'Check the connection and reload the page.',
} as const;
