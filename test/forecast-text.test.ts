import { describe, expect, it } from 'vitest';
import { withFlags } from '../src/cli/option-text.ts';
import { forecastFor } from '../src/privacy/forecast.ts';
import { studyForecast } from '../src/site/forecast-text.ts';
import type { Codebook } from '../src/study/codebook.ts';
import type { PrivacyTerms } from '../src/study/study.ts';
import { agreement } from './linear.ts';
import { privateStudy } from './private-models.ts';

const codebook: Codebook = {
  y: { type: 'number', range: [-5, 15] },
  x: { type: 'number', range: [-10, 10] },
  z: { type: 'number', range: [-1, 1] },
};
const base: PrivacyTerms = { epsilon: 1, delta: 1e-5, unit: 'row' };

function wordsOf(terms: Partial<PrivacyTerms>): string {
  const study = privateStudy('y ~ x + z', codebook, { ...base, ...terms });
  return studyForecast(agreement(study), 1)!
    .remarks.map(({ text, option }) => withFlags(text, option))
    .join(' ');
}

describe('the forecast of a study in words', () => {
  it('says how much, and that a hopeless study is refused', () => {
    const hopeless = wordsOf({ expectedRows: 30 });
    expect(hopeless).toContain('noise adds over 200 % of the explained variance');
    expect(hopeless).toContain('suffice study create refuses this study unless forced.');
    expect(wordsOf({ expectedRows: 30, rounds: 2 })).not.toContain('refuses');
    const poor = wordsOf({ expectedRows: 150 });
    expect(poor).toMatch(/noise adds about \d+ % of the explained variance/);
    expect(poor).not.toContain('refuses');
    for (const words of [hopeless, poor]) expect(words).not.toMatch(/e\+|times/);
  });

  it('names the rows at which the error it expects is 1 %, known or not how many there will be', () => {
    const found = [wordsOf({ expectedRows: 150 }), wordsOf({})].map((words) =>
      Number(/([\d,]+) rows\./.exec(words)![1].replaceAll(',', '')),
    );
    expect(found[0]).toBe(found[1]);
    const at = (rows: number) => forecastFor(base, { rows, columns: 3 }).expectedExcess;
    expect(at(found[0])).toBeLessThanOrEqual(0.01);
    expect(at(found[0] - 2)).toBeGreaterThan(0.01);
  });
});
