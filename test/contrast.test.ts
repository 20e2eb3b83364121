import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const css = readFileSync(new URL('../web/style/tokens.css', import.meta.url), 'utf8');
const [bright, night] = css.split('@media (prefers-color-scheme: dark)');
const light = coloursOf(bright);
const schemes = [
  ['light', light],
  ['dark', { ...light, ...coloursOf(night) }],
] as const;

function coloursOf(text: string): Record<string, string> {
  return Object.fromEntries(
    [...text.matchAll(/--([a-z0-9-]+): (#[0-9a-f]{6});/g)].map(([, name, colour]) => [
      name,
      colour,
    ]),
  );
}

/** Relative luminance (WCAG 2.2). */
function luminance(colour: string): number {
  const [red, green, blue] = [1, 3, 5].map((k) => {
    const share = Number.parseInt(colour.slice(k, k + 2), 16) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(one: string, other: string): number {
  const [darker, lighter] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (lighter + 0.05) / (darker + 0.05);
}

const grounds = ['paper', 'card', 'sunk'];
const coloured = ['accent-ground', 'good-ground', 'warn-ground', 'bad-ground'];

/** Which words stand on which grounds. */
const words: readonly (readonly [colour: string, grounds: readonly string[]])[] = [
  ['ink', [...grounds, ...coloured, 'none']],
  ['soft', [...grounds, ...coloured]],
  ['link', [...grounds, ...coloured]],
  ['on-accent', ['accent', 'accent-strong']],
  ['accent-strong', ['accent-ground', 'card']],
  ['good', ['good-ground', ...grounds]],
  ['warn', ['warn-ground', ...grounds]],
  ['bad', ['bad-ground', ...grounds]],
];

const series = Array.from({ length: 8 }, (_, k) => `series-${k + 1}`);

/** Which lines, marks and edges must be told from which grounds. */
const marks: readonly (readonly [colour: string, grounds: readonly string[]])[] = [
  ['focus', [...grounds, ...coloured]],
  ['line-strong', grounds],
  ['accent', [...grounds, 'none']],
  ...series.map((name) => [name, ['card', 'paper']] as const),
  ['positive', ['card']],
  ['negative', ['card']],
];

describe.each(schemes)('contrast of the colours, %s', (_, colours) => {
  const tooLow = (pairs: typeof words, least: number) =>
    pairs.flatMap(([colour, places]) =>
      places.flatMap((place) => {
        const ratio = contrast(colours[colour], colours[place]);
        return ratio < least ? [`${colour} on ${place}: ${ratio.toFixed(2)}`] : [];
      }),
    );

  it('of words is at least 4.5 : 1', () => {
    expect(tooLow(words, 4.5)).toEqual([]);
  });

  it('of lines and marks is at least 3 : 1', () => {
    expect(tooLow(marks, 3)).toEqual([]);
  });
});

describe('the measure', () => {
  it('is 21 : 1 for black on white, and has every colour in both schemes', () => {
    expect(contrast('#000000', '#ffffff')).toBeCloseTo(21, 9);
    expect(contrast('#777777', '#ffffff')).toBeCloseTo(4.48, 2);
    expect(Object.keys(coloursOf(night)).sort()).toEqual(Object.keys(light).sort());
  });
});
