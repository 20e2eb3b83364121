import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';

interface CardProps {
  readonly title: string;
  /** One sentence under the title. */
  readonly about?: ComponentChildren;
  /** Beside the title: a choice, a button. */
  readonly aside?: ComponentChildren;
  readonly children?: ComponentChildren;
}

/** A part of a page with a title. */
export function Card({ title, about, aside, children }: CardProps) {
  const id = useId();
  return (
    <section class="card" aria-labelledby={id}>
      <header>
        <h2 id={id}>{title}</h2>
        {aside}
        {about !== undefined && <p>{about}</p>}
      </header>
      {children}
    </section>
  );
}
