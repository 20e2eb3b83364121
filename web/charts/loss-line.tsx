import '../style/charts.css';
import { grouped, significant } from '../../src/text/number-text.ts';

const WIDTH = 300;
const HEIGHT = 64;

/** A small line of losses by epoch, from the first to the last planned epoch. */
export function LossLine({
  losses,
  epochs,
}: {
  readonly losses: readonly (readonly [epoch: number, loss: number])[];
  readonly epochs: number;
}) {
  const last = losses.at(-1);
  if (last === undefined) return null;
  const scale = lossScale(losses.map(([, loss]) => loss));
  const x = (epoch: number) => (epochs <= 1 ? WIDTH : ((epoch - 1) / (epochs - 1)) * WIDTH);
  const y = (loss: number) => HEIGHT * (1 - scale(loss));
  const points = losses.map(([epoch, loss]) => `${x(epoch).toFixed(1)},${y(loss).toFixed(1)}`);
  const [first] = losses;
  return (
    <figure class="loss-line">
      <svg
        role="img"
        aria-label={`Loss by epoch: ${significant(first[1], 3)} after epoch ${first[0]}, ${significant(last[1], 3)} after epoch ${last[0]}`}
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
      >
        <path class="base" d={`M0 ${HEIGHT}H${WIDTH}`} />
        <polyline points={points.join(' ')} />
      </svg>
      <figcaption class="small soft">
        loss {significant(last[1], 3)} after epoch {grouped(last[0])}; it was{' '}
        {significant(first[1], 3)} after epoch {grouped(first[0])}
      </figcaption>
    </figure>
  );
}

/** Losses from 0 to 1: from zero; on a logarithmic scale if they differ by more than a factor of ten. */
function lossScale(losses: readonly number[]): (loss: number) => number {
  const [least, most] = [Math.min(...losses), Math.max(...losses)];
  if (!(least > 0) || most < 10 * least) return (loss) => (most > 0 ? loss / most : 0);
  return (loss) => Math.log(loss / least) / Math.log(most / least);
}
