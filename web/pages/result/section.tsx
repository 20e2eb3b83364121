import type { ComponentChildren, ComponentType } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { FailureNotice } from '../../ui/notice.tsx';
import type { SectionProps } from './section-props.ts';

/** Name of a section, as the contents list it. */
export interface SectionName {
  readonly id: string;
  readonly title: string;
  readonly about?: ComponentChildren;
}

/** A section. Its heading can take the focus: the address after # is the secret, so there are no links to sections. */
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
  /** Space that is kept while it loads: for a few lines, for a chart, or for several charts and tables. */
  readonly reserve: 'note' | 'chart' | 'long';
  readonly load: () => Promise<ComponentType<SectionProps>>;
}

/** A section that is loaded when it comes near the screen. */
export function LaterSection({
  section,
  given,
}: {
  readonly section: LaterSection;
  readonly given: SectionProps;
}) {
  const { load, reserve, ...name } = section;
  const place = useRef<HTMLDivElement>(null);
  const [part, setPart] = useState<{ Part: ComponentType<SectionProps> }>();
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
      <div ref={place} class={`stack later ${reserve === 'chart' ? 'chart-space' : reserve}`}>
        {part !== undefined && <part.Part {...given} />}
        {failed && <FailureNotice failure={lost} />}
        {part === undefined && !failed && <div class="waiting" />}
      </div>
    </Section>
  );
}

const lost = {
  kind: 'network',
  problem: 'This part of the page could not be loaded.',
  remedy: 'Check the connection and reload the page.',
} as const;
