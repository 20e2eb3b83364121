import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { audit } from '../src/disclosure/audit.ts';
import { thresholdsOf } from '../src/disclosure/profile.ts';
import type { Audit, RuleId } from '../src/disclosure/rule.ts';
import { auditText } from '../src/site/audit-text.ts';
import type { DisclosureTerms, TableStudy } from '../src/study/study.ts';
import { audited, evidenceOf, ruleOf, standardOf } from './audited.ts';
import { cases } from './endurance.ts';
import { anyFormula, anyTable, studyOf, type Table, tableOf } from './tables.ts';

const leverages = JSON.parse(
  readFileSync(new URL('vectors/audit-leverage.json', import.meta.url), 'utf8'),
) as {
  readonly penguins: Readonly<Record<string, { readonly leverage: number }>>;
};

const spread = (rows: number) => Array.from({ length: rows }, (_, r) => 1.5 + ((r * 1.618) % 1));
const objecting = ({ rules }: Audit): RuleId[] =>
  rules.flatMap(({ rule, verdicts }) => (verdicts.length > 0 ? [rule] : []));

describe('profiles', () => {
  /** y and a category of which the second level has so many rows, of 60. */
  const rare = (rows: number) =>
    tableOf(
      { y: spread(60), g: Array.from({ length: 60 }, (_, r) => (r < rows ? 1 : 0)) },
      { g: ['no', 'yes'] },
    );

  it.each<[string, DisclosureTerms, number]>([
    ['datashield', { profile: 'datashield' }, 3],
    ['default', {}, 5],
    ['agency', { profile: 'agency' }, 10],
    ['a threshold of its own', { profile: 'agency', thresholds: { cell: 7 } }, 7],
  ])('%s', (_, terms, cell) => {
    expect(ruleOf(audited(rare(cell), 'y ~ g', terms), 'R3').outcome).toBe('pass');
    expect(ruleOf(audited(rare(cell - 1), 'y ~ g', terms), 'R3').outcome).toBe('block');
  });

  it('follow from their cells', () => {
    expect(thresholdsOf(undefined)).toEqual({
      profile: 'default',
      thresholds: {
        rows: 10,
        columnShare: 0.33,
        freedom: 10,
        cell: 5,
        dominance: [0.5, 0.67],
        influence: 0.5,
        noticeableLeverage: 0.2,
        oneLevel: 0.9,
        wholeRows: 30,
        difference: 10,
        epsilon: 10,
      },
    });
    expect(thresholdsOf({ profile: 'agency' })).toMatchObject({
      thresholds: { rows: 20, cell: 10 },
    });
    expect(thresholdsOf({ thresholds: { cell: 12 } })).toMatchObject({
      thresholds: { rows: 24, difference: 12 },
    });
    expect(thresholdsOf({ thresholds: { rows: 1 } })).toMatchObject({ thresholds: { rows: 3 } });
  });

  it('of a site can tighten a study’s and never loosen them', () => {
    expect(thresholdsOf({ profile: 'none' })).toBe('none');
    expect(thresholdsOf({ profile: 'none' }, { profile: 'none' })).toBe('none');
    expect(thresholdsOf({ profile: 'none' }, { profile: 'agency' })).toEqual(
      thresholdsOf({ profile: 'agency' }),
    );
    expect(thresholdsOf({ profile: 'agency' }, { profile: 'none' })).toEqual(
      thresholdsOf({ profile: 'agency' }),
    );
    const lines = fc.record(
      {
        rows: fc.nat(50),
        columnShare: fc.constantFrom(0.1, 0.33, 1),
        cell: fc.nat(20),
        influence: fc.constantFrom(0.1, 0.9),
        epsilon: fc.constantFrom(0.5, 20),
      },
      { requiredKeys: [] },
    );
    const profiles = fc.constantFrom('default', 'datashield', 'agency');
    const terms = fc.record({ profile: profiles, thresholds: lines });
    fc.assert(
      fc.property(terms, terms, (study, own) => {
        const both = standardOf2(study, own);
        for (const one of [standardOf(study).thresholds, standardOf(own).thresholds]) {
          expect(both.rows).toBeGreaterThanOrEqual(one.rows);
          expect(both.cell).toBeGreaterThanOrEqual(one.cell);
          expect(both.columnShare).toBeLessThanOrEqual(one.columnShare);
          expect(both.influence).toBeLessThanOrEqual(one.influence);
          expect(both.epsilon).toBeLessThanOrEqual(one.epsilon);
        }
      }),
    );
  });

  function standardOf2(study: DisclosureTerms, own: DisclosureTerms) {
    const standard = thresholdsOf(study, own);
    if (standard === 'none') throw new RangeError('no rules');
    return standard.thresholds;
  }
});

describe('the attack that is known to work', () => {
  // 18 rows of 40 columns of zeros and ones were worked out from their statistic in a second (research, §4.1).
  const bit = (r: number, k: number) => ((r * 7919 + k * 104729 + r * k * 31) >>> 3) & 1;
  const names = Array.from({ length: 40 }, (_, k) => `b${k}`);
  const table = tableOf(
    Object.fromEntries(
      names.map((name, k) => [name, Array.from({ length: 18 }, (_, r) => bit(r, k))]),
    ),
  );

  it('is refused by several rules', () => {
    const refused = audited(table, `b0 ~ ${names.slice(1).join(' + ')}`);
    expect(refused.outcome).toBe('refuse');
    expect(objecting(refused)).toEqual(expect.arrayContaining(['R1', 'R2', 'R4', 'R8']));
    expect(ruleOf(refused, 'R0').outcome).toBe('pass');
    expect(ruleOf(refused, 'R4').verdicts.length).toBeLessThanOrEqual(12);
  });
});

describe('penguins', () => {
  const study = JSON.parse(readFileSync('examples/penguins/study.json', 'utf8')) as TableStudy;
  it.each<[string, Audit['outcome'], RuleId[]]>([
    ['biscoe', 'pass', []],
    ['dream', 'acknowledge', ['R6']],
    ['torgersen', 'acknowledge', ['R6', 'R7']],
  ])('%s', (island, outcome, rules) => {
    const table = csvOf(study, readFileSync(`examples/penguins/${island}.csv`, 'utf8'));
    const evidence = evidenceOf(study, table);
    const result = audit(evidence, standardOf());
    expect([result.outcome, objecting(result)]).toEqual([outcome, rules]);
    const { leverage } = leverages.penguins[island];
    expect(leverage > 0.2).toBe(rules.includes('R6'));
    if (evidence.leverage !== undefined) expect(evidence.leverage).toBeCloseTo(leverage, 10);
  });

  function csvOf({ codebook }: TableStudy, text: string): Table {
    const [header, ...lines] = text
      .trim()
      .split('\n')
      .map((line) => line.split(','));
    const cellsOf = (name: string) =>
      Float64Array.from(lines, (cells) => {
        const cell = cells[header.indexOf(name)];
        const { levels } = codebook[name];
        if (levels === undefined) return cell === '' || cell === 'NA' ? Number.NaN : Number(cell);
        return levels.includes(cell) ? levels.indexOf(cell) : Number.NaN;
      });
    const cells = Object.fromEntries(Object.keys(codebook).map((name) => [name, cellsOf(name)]));
    return { rows: lines.length, codebook, cells };
  }
});

describe('verdicts', () => {
  it('tell no value and no count below a threshold', () => {
    // Every rule on rows has something to object to; 7919, 6007 and 3 rows of "yes" are planted.
    const rows = 9;
    const y = [7919.13, ...Array.from({ length: rows - 1 }, (_, r) => 0.001 * r)];
    const b = Array.from({ length: rows }, (_, r) => 6007 * (r + 1));
    const g = Array.from({ length: rows }, (_, r) => (r < 3 ? 1 : 0));
    const table = tableOf({ y, b, g, c: Array<number>(rows).fill(4243) }, { g: ['no', 'yes'] });
    const text = auditText(audited(table, 'y ~ b + g + c'));
    expect(text).toContain('fewer than 5 rows');
    for (const planted of ['7919', '6007', '4243', '12014', '3 rows', '9 rows']) {
      expect(text).not.toContain(planted);
    }
  });

  it('have no other numbers than thresholds and numbers of columns', () => {
    // 0 is a word of R5, which speaks of numbers that are not 0.
    const allowed = new Set(['0', '5', '10', '30', '33', '50', '67', '75', '90', '20']);
    fc.assert(
      fc.property(anyTable(40), anyFormula, (table, formula) => {
        const { rules } = audited(table, formula);
        for (const { rule, verdicts } of rules) {
          for (const { columns, problem, remedy } of verdicts) {
            const words = columns.reduce(
              (text, name) => text.replaceAll(name, ''),
              `${problem} ${remedy}`,
            );
            const numbers = words.match(/\d[\d.]*/g) ?? [];
            const strange = numbers.filter((number) => !allowed.has(number.replace(/\.$/, '')));
            // R1 tells how many columns there are, and a long list how many were left out.
            if (rule !== 'R1' && !problem.startsWith('and ')) expect(strange).toEqual([]);
          }
        }
      }),
      { numRuns: cases(60) },
    );
  });

  it('know weighted rows and regressions by Fisher information', () => {
    const rows = 60;
    const half = Array.from({ length: rows }, (_, r) => r % 2);
    const g = Array.from({ length: rows }, (_, r) => (r < 4 ? 1 : 0));
    const w = Array.from({ length: rows }, (_, r) => 1 + (r % 3));
    const table = tableOf({ y: half, a: spread(rows), g, w }, { g: ['no', 'yes'] });
    const weighted = audited(table, 'a ~ g', undefined, {}, { weights: 'w' });
    expect(ruleOf(weighted, 'R3').outcome).toBe('block');
    const logistic = { fusion: { kind: 'glm', family: 'binomial' } } as const;
    const glm = audited(table, 'y ~ a + g', undefined, {}, logistic);
    expect(ruleOf(glm, 'R3').outcome).toBe('block');
    expect(ruleOf(glm, 'R8').outcome).toBe('pass');
    const counts = { fusion: { kind: 'glm', family: 'poisson' } } as const;
    expect(ruleOf(audited(table, 'y ~ a', undefined, {}, counts), 'R6').outcome).toBe('pass');
  });

  it('of a study with noise are about the budget alone', () => {
    const terms = {
      promise: 'p',
      round: 0,
      place: 'c',
      placement: 'central',
      unit: 'row',
      releases: 1,
    } as const;
    const charge = { mu: 0.5, ...terms };
    const { rules, outcome } = audit({ charge }, standardOf());
    expect(outcome).toBe('pass');
    expect(
      rules.filter((rule) => rule.outcome !== 'not-applicable').map(({ rule }) => rule),
    ).toEqual(['R11']);
    expect(rules.every(({ outcome: one, note }) => one === 'pass' || note !== undefined)).toBe(
      true,
    );
  });
});

describe('columns that say nothing of their own', () => {
  const rows = 40;
  const y = spread(rows);
  const half = Array.from({ length: rows }, (_, r) => r % 2);
  const four = ['i', 'ii', 'iii', 'iv'];
  it('are levels and combinations that no row has', () => {
    const quarter = Array.from({ length: rows }, (_, r) => (r >> 1) & 1);
    const table = tableOf({ y, g: half, h: quarter }, { g: four, h: four });
    for (const formula of ['y ~ g', 'y ~ g + h', 'y ~ g*h', 'y ~ g - 1', 'g ~ y']) {
      expect([formula, objecting(audited(table, formula))]).toEqual([formula, []]);
    }
  });

  it('are those of .site', () => {
    const table = tableOf({ y, a: half, '.site': y.map(() => 1) }, { '.site': ['east', 'north'] });
    expect(objecting(audited(table, 'y ~ a + .site'))).toEqual(['R7']);
    const ignored = ['.sitenorth'];
    expect(objecting(audited(table, 'y ~ a + .site', undefined, { ignored }))).toEqual([]);
  });

  it('but a baseline counts like any level', () => {
    // The largest c of the baseline is most of its sum; no indicator picks the baseline out.
    const g = Array.from({ length: rows }, (_, r) => r % 4);
    const c = spread(rows).map((v, r) => (g[r] > 0 ? v : r === 0 ? 1 : 0.01 * v));
    const { verdicts } = ruleOf(audited(tableOf({ y, g, c }, { g: four }), 'y ~ c + g'), 'R5');
    expect(verdicts.map(({ columns }) => columns)).toEqual([['the baseline of g', 'c']]);
  });
});

describe('the audit as text', () => {
  const table = tableOf(
    { y: spread(40), g: Array.from({ length: 40 }, (_, r) => (r < 38 ? 0 : 1)) },
    { g: ['no', 'yes'] },
  );
  it('names rule, column and remedy, and promises nothing', () => {
    const text = auditText(audited(table, 'y ~ g'));
    expect(text).toContain('R3   refuses:  a level has few rows');
    expect(text).toContain('level yes of g: fewer than 5 rows');
    expect(text).toContain('→ merge rare levels');
    expect(text).toContain('Refused by R3, R5: nothing may be sent.');
    expect(text).toContain('no guarantee');
    const evidence = evidenceOf(studyOf(table, 'y ~ 1'), table);
    expect(auditText(audit(evidence, standardOf()))).toContain('No rule objects.');
  });
});
