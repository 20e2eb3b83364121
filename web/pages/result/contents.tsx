import { useEffect, useState } from 'preact/hooks';
import type { SectionName } from './section.tsx';

/** Contents of the page. Buttons instead of links, because the address after # is the secret. */
export function Contents({ sections }: { readonly sections: readonly SectionName[] }) {
  const here = useSectionInView(sections);
  return (
    <nav class="contents" aria-label="Parts of the result">
      <ol>
        {sections.map(({ id, title }) => (
          <li key={id}>
            <button
              type="button"
              aria-current={id === here ? 'true' : undefined}
              onClick={() => goTo(id)}
            >
              {title}
            </button>
          </li>
        ))}
      </ol>
    </nav>
  );
}

/** Scrolls to a section and moves the focus to its heading. */
export function goTo(id: string): void {
  const calm = matchMedia('(prefers-reduced-motion: reduce)').matches;
  const heading = document.getElementById(`${id}-title`);
  document.getElementById(id)?.scrollIntoView({ behavior: calm ? 'auto' : 'smooth' });
  heading?.focus({ preventScroll: true });
}

/** The last section that starts in the upper third of the screen, or above it. */
function useSectionInView(sections: readonly SectionName[]): string | undefined {
  const [here, setHere] = useState<string>();
  useEffect(() => {
    const look = () => {
      const passed = sections.filter(({ id }) => {
        const top = document.getElementById(id)?.getBoundingClientRect().top;
        return top !== undefined && top < innerHeight / 3;
      });
      setHere((passed.at(-1) ?? sections[0])?.id);
    };
    look();
    addEventListener('scroll', look, { passive: true });
    return () => removeEventListener('scroll', look);
  }, [sections]);
  return here;
}
