import type { LawName } from '../../../experiments/fesc/laws.ts';
import { lawText, lawTitle } from './law-text.ts';

const [WIDTH, HEIGHT, FLOOR] = [180, 60, 46];
/** Multiples of the mean that are drawn. */
const MOST = 3;
const STEPS = 90;

/** The density of a law: sizes from 0 to three times the mean. */
export function LawSketch({ law }: { readonly law: LawName }) {
  const { sentence, density } = lawText[law];
  // The middles of the steps: the density of some laws is not defined at 0.
  const heights = Array.from({ length: STEPS }, (_, k) => density(((k + 0.5) / STEPS) * MOST));
  const most = Math.max(...heights);
  const path = heights
    .map((height, k) => {
      const across = ((k + 0.5) / STEPS) * WIDTH;
      return `L${across.toFixed(1)} ${(FLOOR - (height / most) * (FLOOR - 4)).toFixed(1)}`;
    })
    .join('');
  const mean = WIDTH / MOST;
  return (
    <figure class="lab-law">
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        role="img"
        aria-label={`${lawTitle(law)}: ${sentence}`}
      >
        <path class="area" d={`M0 ${FLOOR}${path}L${WIDTH} ${FLOOR}Z`} />
        <path class="mean" d={`M${mean} 2V${FLOOR}`} />
        <path class="floor" d={`M0 ${FLOOR}H${WIDTH}`} />
        <text x={mean} y={HEIGHT - 2} text-anchor="middle">
          mean
        </text>
      </svg>
      <figcaption>{sentence}</figcaption>
    </figure>
  );
}
