import { describe, expect, it } from 'vitest';
import { parseStudy } from '../src/fusion/study-schema.ts';
import { parseCodebook } from '../src/study/schema.ts';

const study = {
  schema: 'suffice/study@1',
  formula: 'y ~ x',
  codebook: { y: { type: 'number', range: [0, 1] }, x: { type: 'category', levels: ['a', 'b'] } },
  fusion: { kind: 'ridge', ridge: 0 },
  arithmetic: 'exact',
};

describe('a study', () => {
  it('is read as it is', () => {
    expect(parseStudy(study)).toEqual(study);
  });

  it.each([
    ['an unknown key', { ...study, extra: 1 }],
    ['a negative ridge', { ...study, fusion: { kind: 'ridge', ridge: -1 } }],
    ['another schema', { ...study, schema: 'suffice/study@2' }],
    ['a grid that is none', { ...study, grid: 45 }],
  ])('with %s is refused', (_, json) => {
    expect(() => parseStudy(json)).toThrow();
  });
});

describe('a codebook', () => {
  it.each([
    ['a range upside down', { y: { type: 'number', range: [2, 1] } }, 'range must run'],
    ['a range that is not finite', { y: { type: 'number', range: [0, Number.NaN] } }, 'number'],
    ['no levels', { y: { type: 'category', levels: [] } }, 'levels'],
    ['a level twice', { y: { type: 'category', levels: ['a', 'a'] } }, 'differ'],
    [
      'a baseline of its own',
      { y: { type: 'category', levels: ['a'], baseline: 'b' } },
      'baseline',
    ],
    ['a type of its own', { y: { type: 'date' } }, 'type'],
    ['a misspelled key', { y: { type: 'number', rnage: [0, 1] } }, 'rnage'],
  ])('with %s is refused', (_, json, message) => {
    expect(() => parseCodebook(json)).toThrow(message);
  });
});
