import type { DigitOutcome } from '../../../experiments/fisher/digit-trial.ts';

/** The accuracy of every model, as bars; the worst and the best client alone come first. */
export function DigitAccuracies({
  outcome: { clients, models, tested },
  chosen,
}: {
  readonly outcome: DigitOutcome;
  /** Name of the model that is shown beside. */
  readonly chosen: string | undefined;
}) {
  const alone = clients.flatMap(({ accuracy }) => accuracy ?? []);
  const bars = [
    ...(alone.length === 0
      ? []
      : [
          { name: 'worst', label: 'worst client alone', accuracy: Math.min(...alone) },
          { name: 'best', label: 'best client alone', accuracy: Math.max(...alone) },
        ]),
    ...models,
  ];
  return (
    <figure class="lab-figure">
      <figcaption>
        <strong>Right among {tested} digits that no client has</strong>
      </figcaption>
      <ol class="digit-bars" aria-label="Accuracy of every model">
        {bars.map(({ name, label, accuracy }) => (
          <li key={name} class={kindOf(name, chosen)}>
            <span>{label}</span>
            <span class="digit-bar" aria-hidden="true">
              <span style={{ width: `${100 * accuracy}%` }} />
            </span>
            <span class="number">{rightText(accuracy)}</span>
          </li>
        ))}
      </ol>
    </figure>
  );
}

function kindOf(name: string, chosen: string | undefined): string | undefined {
  if (name === chosen) return 'chosen';
  return ['worst', 'best', 'ridge', 'pooled'].includes(name) ? 'beside' : undefined;
}

/** 0.8537 as 85.4 %. */
export function rightText(share: number): string {
  return `${(100 * share).toFixed(1)}\u00a0%`;
}
