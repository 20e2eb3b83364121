import type { ComponentChildren } from 'preact';

/** Short facts, each with its name. */
export function Facts({
  facts,
}: {
  readonly facts: readonly (readonly [name: string, fact: ComponentChildren])[];
}) {
  return (
    <dl class="facts">
      {facts.map(([name, fact]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{fact}</dd>
        </div>
      ))}
    </dl>
  );
}
