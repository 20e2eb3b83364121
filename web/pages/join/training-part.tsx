import { useEffect } from 'preact/hooks';
import { LossLine } from '../../charts/loss-line.tsx';
import { announce } from '../../ui/announce.ts';
import { ProgressBar } from '../../ui/progress-bar.tsx';
import { countText, durationText } from '../../ui/text.ts';
import type { TrainingView } from '../../worker/progress.ts';

/** How far the training of a site's network is. Screen readers hear of every quarter. */
export function TrainingPart({
  training,
  rows,
}: {
  readonly training: TrainingView;
  readonly rows: number;
}) {
  const { epoch, epochs, from, losses, left } = training;
  const quarter = Math.floor((4 * epoch) / epochs);
  useEffect(() => {
    if (quarter > 0 && quarter < 4) announce(`The training is ${25 * quarter} % done`);
  }, [quarter]);
  const present = Math.min(epochs, Math.floor(epoch) + 1);
  const finished = epoch >= epochs;
  return (
    <div class="stack">
      <ProgressBar
        label={finished ? 'Measuring the trained network' : 'Training the network'}
        share={epoch / epochs}
        detail={[
          `epoch ${countText(present)} of ${countText(epochs)}`,
          `${countText(rows)} rows`,
          ...(finished || Number.isNaN(left) ? [] : [`${durationText(left)} left`]),
        ].join(' · ')}
      />
      {from !== undefined && (
        <p role="status">
          An earlier training of these rows in this browser had done {epochsText(from)}: this one
          goes on from there.
        </p>
      )}
      <LossLine losses={losses} epochs={epochs} />
    </div>
  );
}

/** Epochs as text. */
export function epochsText(epochs: number): string {
  return epochs === 1 ? 'one epoch' : `${countText(epochs)} epochs`;
}
