import { register } from 'node:module';
import type { withNoise } from '../src/privacy/private-noise.ts';
import { seededWords } from '../src/random/seeded-words.ts';
import { wordsOf } from '../src/statistic/layout.ts';

type WithNoise = typeof withNoise;

const noise = { kept: [] as Uint32Array[], next: 0 };

/** A first world: its noise is its own. */
export function firstWorld(): void {
  noise.kept = [];
  noise.next = 0;
}

/** Another world, with the noisy entries of the first. */
export function otherWorld(): void {
  noise.next = 0;
}

/** Noisy entries are those of the first world in every other: the noise that hides the difference of the two. */
export function keptNoise(draw: WithNoise): WithNoise {
  return (statistic, mechanism) => {
    const at = noise.next++;
    noise.kept[at] ??= draw(statistic, mechanism, seededWords(100 + at)).values;
    const { layout, values } = statistic;
    const words = wordsOf(layout);
    const zeros = { layout, values: new Uint32Array(values.length) };
    const drawn = draw(zeros, mechanism, seededWords(1)).values;
    const isNoisy = (k: number) => {
      const entry = Math.floor(k / words) * words;
      return drawn.subarray(entry, entry + words).some((word) => word !== 0);
    };
    const own = values.map((word, k) => (isNoisy(k) ? noise.kept[at][k] : word));
    return { layout, values: own };
  };
}

const LOADER = `
export async function load(url, context, next) {
  if (!url.endsWith('/dist/privacy/private-noise.js')) return next(url, context);
  const source = \`
    import { withNoise as draw } from '\${url}?drawn';
    export const withNoise = globalThis[Symbol.for('suffice kept noise')](draw);
  \`;
  return { format: 'module', source, shortCircuit: true };
}`;

/** Lets Node load the built library with kept noise. `vi.mock` reaches only what Vite loads: the sources. */
export function keepNoiseOfBuild(): void {
  Object.assign(globalThis, { [Symbol.for('suffice kept noise')]: keptNoise });
  register(`data:text/javascript,${encodeURIComponent(LOADER)}`);
}
