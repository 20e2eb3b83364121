import type { DigitClient } from '../../../experiments/fisher/digit-trial.ts';
import { LossLine } from '../../charts/loss-line.tsx';
import { countText } from '../../ui/text.ts';
import { rightText } from './digit-accuracies.tsx';

/** The clients: how many of each digit they have, how their training goes, and how good they are alone. */
export function DigitClients({
  clients,
  epochs,
}: {
  readonly clients: readonly DigitClient[];
  readonly epochs: number;
}) {
  const most = Math.max(1, ...clients.flatMap(({ counts }) => counts));
  return (
    <ol class="digit-clients" aria-label="Clients">
      {clients.map(({ counts, losses, accuracy }, k) => {
        const all = counts.reduce((sum, count) => sum + count, 0);
        return (
          <li key={`client ${k + 1}`}>
            <p>
              <strong>Client {k + 1}</strong>{' '}
              <span class="soft">
                {countText(all)} digits
                {accuracy === undefined ? '' : `; alone ${rightText(accuracy)} right`}
              </span>
            </p>
            <ul class="digit-counts" aria-label={`Digits of client ${k + 1}`}>
              {counts.map((count, digit) => (
                <li key={`digit ${digit}`} aria-label={`${count} of digit ${digit}`}>
                  <span style={{ height: `${(100 * count) / most}%` }} />
                  <small aria-hidden="true">{digit}</small>
                </li>
              ))}
            </ul>
            {all > 0 && <LossLine losses={losses} epochs={Math.max(epochs, losses.length)} />}
          </li>
        );
      })}
    </ol>
  );
}
