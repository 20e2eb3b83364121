import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';

interface CardProps {
  /** A name by which another part of the page leads here; its heading then takes the focus. */
  readonly id?: string;
  readonly title: string;
  /** One sentence under the title. */
  readonly about?: ComponentChildren;
  /** Beside the title: a choice, a button. */
  readonly aside?: ComponentChildren;
  readonly children?: ComponentChildren;
}

/** A part of a page with a title. */
export function Card({ id, title, about, aside, children }: CardProps) {
  const heading = useId();
  return (
    <section class="card" id={id} aria-labelledby={heading}>
      <header>
        <h2 id={heading} tabIndex={id === undefined ? undefined : -1}>
          {title}
        </h2>
        {aside}
        {about !== undefined && <p>{about}</p>}
      </header>
      {children}
    </section>
  );
}
