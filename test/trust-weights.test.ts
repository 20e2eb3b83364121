import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Audit, RuleId } from '../src/disclosure/rule.ts';
import { agreement } from '../src/federate.ts';
import { postStudy } from '../src/protocol/client.ts';
import { disclosureText } from '../src/site/study-text.ts';
import { type GlmFusion, studyDigest, type TableStudy } from '../src/study/study.ts';

import { ruleOf } from './audited.ts';
import { runSuffice, suffice, temporaryFolder } from './cli.ts';
import { servedStudy } from './served-study.ts';

const root = temporaryFolder();
let files = 0;

/** Writes text to a new file; gives its path. */
function written(text: string, kind: string): string {
  const path = join(root, `${++files}.${kind}`);
  writeFileSync(path, text);
  return path;
}

/** 400 patients; one, and only one, is 43 years old with a pressure of 187. */
const patients = Array.from({ length: 400 }, (_, r) => {
  const age = 20 + ((r * 37) % 61);
  const sbp = 100 + ((r * 53) % 80);
  const bmi = (180 + ((r * 71) % 170)) / 10;
  return { age, sbp, bmi, hiv: (r * 7) % 5 === 0 ? 1 : 0, died: (r * 11) % 6 === 0 ? 1 : 0 };
});
patients[123] = { age: 43, sbp: 187, bmi: 31.7, hiv: 1, died: 0 };
const header = 'age,sbp,bmi,hiv,died';
const csv = written(
  `${[header, ...patients.map((row) => Object.values(row).join(','))].join('\n')}\n`,
  'csv',
);

const codebook: TableStudy['codebook'] = {
  age: { type: 'number', range: [18, 100] },
  sbp: { type: 'number', range: [80, 220] },
  bmi: { type: 'number', range: [10, 60] },
  hiv: { type: 'number', range: [0, 1] },
  died: { type: 'number', range: [0, 1] },
};
const peaks = 'I(1/(1 + (age - 43)^2)) + I(1/(1 + (sbp - 187)^2))';

function studyOf(formula: string, fusion: GlmFusion, more: Partial<TableStudy> = {}): TableStudy {
  return {
    schema: 'suffice/study@1',
    formula,
    codebook,
    fusion,
    arithmetic: 'exact',
    ...more,
  };
}

/** The terms of the attack, with so much on each peak. */
function peaked(height: number): Record<string, number> {
  return {
    '(Intercept)': -2 * height,
    'I(1/(1 + (age - 43)^2))': height,
    'I(1/(1 + (sbp - 187)^2))': height,
    ...{ age: 0, sbp: 0, bmi: 0, hiv: 0 },
  };
}

/** What a site would make of a study, and what it left behind. */
async function contributed(study: TableStudy, rows: string, ...flags: string[]) {
  const out = join(root, `${++files}.suffice`);
  const home = join(root, `home-${files}`);
  const path = written(JSON.stringify(study), 'json');
  const args = ['contribute', path, rows, '--out', out, '--home', home, '--json', ...flags];
  const { code, stdout, stderr } = await suffice(...args);
  const audit: Audit | undefined = /^\{/.test(stdout) ? JSON.parse(stdout).audit : undefined;
  const left = existsSync(join(home, 'ledger.jsonl'));
  return { code, stderr, audit, nothing: !existsSync(out) && !left };
}

function blocking(audit: Audit | undefined): RuleId[] {
  return (audit?.rules ?? []).filter(({ outcome }) => outcome === 'block').map(({ rule }) => rule);
}

const everyRule = '--acknowledge=R0,R1,R2,R3,R4,R5,R6,R7,R8,R9,R10';

describe('coefficients that give one row all the weight', () => {
  const formula = `died ~ ${peaks} + age + sbp + bmi + hiv`;
  it.each([
    ['poisson', 9],
    ['poisson', 6],
    ['binomial', 9],
    ['binomial', 6],
  ] as const)('are refused whatever is acknowledged: %s, %i', async (family, height) => {
    const study = studyOf(formula, { kind: 'glm', family, at: peaked(height) });
    const { code, audit, nothing } = await contributed(study, csv, everyRule);
    expect(code).toBe(5);
    expect(blocking(audit)).toEqual(expect.arrayContaining(['R0', 'R6']));
    expect(nothing).toBe(true);
  });

  it.each(['poisson', 'binomial'] as const)(
    'pass where they are those of a fit: %s',
    async (family) => {
      const first = studyOf('died ~ age + sbp + bmi + hiv', { kind: 'glm', family });
      const one = await contributed(first, csv);
      expect([one.code, one.audit?.outcome]).toEqual([0, 'pass']);
      const at = { '(Intercept)': -1.5, age: 0.002, sbp: -0.001, bmi: 0.003, hiv: 0.1 };
      const second = await contributed({ ...first, fusion: { kind: 'glm', family, at } }, csv);
      expect([second.code, second.audit?.outcome]).toEqual([0, 'pass']);
    },
  );

  it('are refused for one level: the weight of a group is one row’s', async () => {
    const at = { '(Intercept)': -9, 'I(1/(1 + (age - 43)^2))': 8, hiv: 0 };
    const few = patients.map((row, r) => ({
      ...row,
      age: r === 123 ? 43 : row.hiv === 1 ? 70 + (r % 9) : row.age,
    }));
    const rows = written(
      `${[header, ...few.map((row) => Object.values(row).join(','))].join('\n')}\n`,
      'csv',
    );
    const study = studyOf('died ~ I(1/(1 + (age - 43)^2)) + hiv', {
      kind: 'glm',
      family: 'poisson',
      at,
    });
    const { code, audit, nothing } = await contributed(study, rows, everyRule);
    expect([code, nothing]).toEqual([5, true]);
    expect(blocking(audit)).toContain('R3');
  });

  it('are less doubtful if the site has been in the round that they are from', async () => {
    const plain = studyOf('died ~ bmi', { kind: 'glm', family: 'poisson' });
    const total = `sha256:${'0'.repeat(64)}`;
    // The largest leverage is between 0.2 and 0.5.
    const at = { '(Intercept)': -21, bmi: 0.6 };
    const next = (from?: GlmFusion['from']) =>
      studyOf('died ~ bmi', { kind: 'glm', family: 'poisson', at, ...(from && { from }) });
    const rows = written(
      `${[header, ...patients.slice(0, 60).map((row) => Object.values(row).join(','))].join('\n')}\n`,
      'csv',
    );
    const home = join(root, 'ledger');
    const R6 = async (study: TableStudy) => {
      const path = written(JSON.stringify(study), 'json');
      const { stdout } = await suffice('audit', path, rows, '--json', '--home', home);
      return ruleOf(JSON.parse(stdout), 'R6').outcome;
    };
    const from = { study: studyDigest(plain), total };
    expect([await R6(next()), await R6(next(from))]).toEqual(['block', 'block']);
    const path = written(JSON.stringify(plain), 'json');
    const out = join(root, 'first.suffice');
    const first = await suffice('contribute', path, rows, '--out', out, '--home', home);
    expect(first.code, first.stderr).toBe(0);
    expect([await R6(next()), await R6(next(from))]).toEqual(['block', 'warn']);
  });

  it.each([
    [-60, 'exact'],
    [-90, 'exact'],
    [-40, 'compact'],
  ] as const)(
    'are refused where no weight is left to measure: %i, %s',
    async (level, arithmetic) => {
      const at = { '(Intercept)': level, age: 0, bmi: 0 };
      const fusion = { kind: 'glm', family: 'poisson', at } as const;
      const study = studyOf('died ~ age + bmi', fusion, { arithmetic });
      const { code, nothing } = await contributed(study, csv, everyRule);
      expect([3, 5]).toContain(code);
      expect(nothing).toBe(true);
    },
  );

  it('are shown in words, with what vouches for them', async () => {
    const at = peaked(9);
    const study = studyOf(formula, { kind: 'glm', family: 'poisson', at });
    const path = written(JSON.stringify(study), 'json');
    const says = 'I(1/(1 + (age - 43)^2)) 9, I(1/(1 + (sbp - 187)^2)) 9';
    const { stdout } = await suffice('study', 'check', path);
    expect(stdout).toContain(says);
    expect(stdout).toContain('(Intercept) -18');
    expect(stdout).toContain('names no resolution');
    // The join page shows these lines.
    expect(disclosureText(agreement(study)).join(' ')).toContain(says);
    const home = join(root, 'shown');
    const tried = await suffice('contribute', path, csv, '--dry-run', '--home', home);
    expect(tried.stderr + tried.stdout).toContain(says);
  });

  it('must be those of the resolution that the study names', async () => {
    const folder = join(root, 'named');
    const digest = `sha256:${'0'.repeat(64)}`;
    const plain = studyOf('died ~ age', { kind: 'glm', family: 'poisson' });
    const { mkdirSync } = await import('node:fs');
    mkdirSync(folder);
    const { served, created, invitation } = await servedStudy(folder, plain, ['a']);
    const token = readFileSync(served.operatorTokenFile!, 'utf8').trim();
    const next = (at: Record<string, number>, from: GlmFusion['from']) =>
      postStudy(served.address, token, {
        study: { ...plain, fusion: { kind: 'glm', family: 'poisson', at, ...(from && { from }) } },
        sites: ['a'],
      });
    const made = { '(Intercept)': -2, age: 0.5 };
    await expect(next(made, { study: created.digest, total: digest })).rejects.toThrow(
      'has not published',
    );
    const home = join(folder, 'home');
    const sent = await runSuffice(['join', invitation('a'), csv, '--yes', '--home', home]);
    expect(sent.code).toBe(0);
    const model = join(folder, 'model.json');
    const report = ['report', invitation('a'), '--wait', '--json', '--out', model];
    const { digest: total, terms } = JSON.parse((await runSuffice(report)).stdout);
    const from = { study: created.digest, total };
    await expect(next(made, from)).rejects.toThrow('are not those of the resolution');
    const estimates = Object.fromEntries(
      terms.map(({ term, estimate }: { term: string; estimate: number }) => [term, estimate]),
    );
    expect((await next(estimates, from)).state).toBe('open');
  });
});

it('a response with a large count is no matter of weights that nobody vouches for', async () => {
  // The largest of 60 counts has between 0.2 and 0.5 of their squares.
  const rows = patients.slice(0, 60).map(({ bmi }, r) => `${r === 7 ? 9 : r % 5},${bmi}`);
  const file = written(`${['visits,bmi', ...rows].join('\n')}\n`, 'csv');
  const visits = { visits: { type: 'number', range: [0, 50] }, bmi: codebook.bmi } as const;
  const study = (fusion: GlmFusion) => ({ ...studyOf('visits ~ bmi', fusion), codebook: visits });
  const first = await contributed(study({ kind: 'glm', family: 'poisson' }), file);
  expect([first.code, first.audit?.outcome]).toEqual([0, 'pass']);
  const at = { '(Intercept)': 0.8, bmi: 0.001 };
  const second = await contributed(study({ kind: 'glm', family: 'poisson', at }), file);
  expect([second.code, second.audit?.outcome]).toEqual([0, 'pass']);
});

describe('a response that the predictors say of all rows but one', () => {
  const alone = written(
    `${[
      header,
      ...patients.map((row, r) =>
        Object.values({ ...row, age: row.age === 43 && r !== 123 ? 44 : row.age }).join(','),
      ),
    ].join('\n')}\n`,
    'csv',
  );
  const tent = 'log((abs(age - 42) + abs(age - 44))/2 + 100)';
  it.each<[string, string, Partial<GlmFusion>]>([
    [
      'at coefficients of an analyst’s choice',
      `I(abs(age - 43) + 100) ~ ${tent} + bmi + hiv`,
      { at: { '(Intercept)': 0, [tent]: 1, bmi: 0, hiv: 0 } },
    ],
    [
      'with weights that are all alike',
      'abs(age - 43) ~ abs(age - 42) + abs(age - 44) + bmi + hiv',
      { at: { '(Intercept)': 2, 'abs(age - 42)': 0, 'abs(age - 44)': 0, bmi: 0, hiv: 0 } },
    ],
  ])('is refused: %s', async (_, formula, more) => {
    const study = studyOf(formula, { kind: 'glm', family: 'poisson', ...more });
    const { code, audit, nothing } = await contributed(study, alone, everyRule);
    expect([code, nothing, blocking(audit)]).toEqual([5, true, ['R6']]);
  });

  it('passes where they say it of all rows', async () => {
    const at = { '(Intercept)': 0, 'log(age)': 1, bmi: 0 };
    const study = studyOf('age ~ log(age) + bmi', { kind: 'glm', family: 'poisson', at });
    const { code, audit } = await contributed(study, alone);
    expect([code, audit?.outcome]).toEqual([0, 'pass']);
  });
});

describe('a column of weights', () => {
  const weighted = (weight: (r: number) => number) =>
    written(
      `${['w,age,y', ...patients.map(({ age, bmi }, r) => `${weight(r)},${age},${bmi}`)].join('\n')}\n`,
      'csv',
    );
  const study: TableStudy = {
    schema: 'suffice/study@1',
    formula: 'y ~ age',
    codebook: {
      w: { type: 'number', range: [0, 1e9] },
      age: { type: 'number', range: [18, 100] },
      y: { type: 'number', range: [10, 60] },
    },
    weights: 'w',
    fusion: { kind: 'ridge', ridge: 0 },
    arithmetic: 'exact',
  };

  it('with one weight above all others is refused, and acknowledging does not help', async () => {
    const rows = weighted((r) => (r === 123 ? 9e8 : 1 + (r % 20)));
    const { code, audit, nothing } = await contributed(study, rows, everyRule);
    expect([code, nothing]).toEqual([5, true]);
    expect(blocking(audit)).toEqual(['R0', 'R6']);
  });

  it('of ordinary size passes', async () => {
    const { code, audit } = await contributed(
      study,
      weighted((r) => 1 + (r % 20)),
    );
    expect([code, audit?.outcome]).toEqual([0, 'pass']);
  });
});
