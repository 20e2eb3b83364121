import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { auditTotal } from '../src/disclosure/audit-total.ts';
import { weakerThan } from '../src/disclosure/profile.ts';
import {
  auditOf,
  type Finding,
  notApplicable,
  type RuleId,
  ruleIds,
} from '../src/disclosure/rule.ts';
import { auditText, objectionText } from '../src/site/audit-text.ts';
import { audited, ruleOf, standardOf } from './audited.ts';
import { cases } from './endurance.ts';
import { agreement } from './linear.ts';
import { everyRow, studyOf, summaryOf, type Table, tableOf } from './tables.ts';

const treatments = ['control', 'new', 'placebo'];
const sexes = ['female', 'male'];
const spread = (rows: number) => Array.from({ length: rows }, (_, r) => 1.5 + ((r * 1.618) % 1));

/** One row a pair [treatment, sex], by their places. */
function patients(pairs: readonly (readonly [number, number])[]): Table {
  return tableOf(
    {
      y: spread(pairs.length),
      treatment: pairs.map(([level]) => level),
      sex: pairs.map(([, level]) => level),
    },
    { treatment: treatments, sex: sexes },
  );
}

/** So many rows of every pair: control female, control male, new female and so on. */
function counted(...counts: number[]): Table {
  return patients(
    counts.flatMap((count, k) => Array<[number, number]>(count).fill([k >> 1, k % 2])),
  );
}

const named = (table: Table, rule: RuleId, formula = 'y ~ treatment + sex') =>
  ruleOf(audited(table, formula), rule).verdicts.flatMap(({ names, columns }) => names ?? columns);

describe('verdicts name levels as people do', () => {
  it('R3 and R5: a level, the baseline of two, the baseline of three', () => {
    const rare = counted(20, 20, 20, 20, 2, 2);
    const { verdicts } = ruleOf(audited(rare, 'y ~ treatment + sex'), 'R3');
    expect(verdicts).toMatchObject([
      {
        columns: ['treatmentplacebo'],
        names: ['level placebo of treatment'],
        problem: 'fewer than 5 rows',
      },
    ]);
    expect(named(rare, 'R5')).toEqual(['level placebo of treatment']);
    expect(named(counted(2, 2, 20, 20, 20, 20), 'R3')).toEqual(['the baseline of treatment']);
    expect(named(counted(1, 20, 1, 20, 1, 20), 'R3')).toEqual(['the baseline of sex']);
    expect(named(counted(20, 1, 20, 1, 20, 1), 'R3')).toEqual(['level male of sex']);
  });

  it('R4: the small cell, whichever of the four it is', () => {
    const { verdicts } = ruleOf(
      audited(counted(20, 20, 20, 20, 20, 3), 'y ~ treatment + sex'),
      'R4',
    );
    expect(verdicts).toMatchObject([
      {
        columns: ['treatmentplacebo', 'sexmale'],
        names: ['placebo of treatment × male of sex'],
        problem: 'fewer than 5 rows share it',
      },
    ]);
    expect(named(counted(20, 20, 3, 20, 20, 20), 'R4')).toEqual([
      'new of treatment × the baseline of sex',
    ]);
    expect(named(counted(3, 20, 20, 20, 20, 20), 'R4')).toEqual([
      'the baseline of sex × the baseline of treatment',
    ]);
  });

  it('R7: the level that nearly all have', () => {
    expect(named(counted(95, 0, 3, 0, 2, 0), 'R7')).toEqual([
      'the baseline of sex',
      'the baseline of treatment',
    ]);
    const same = ruleOf(audited(counted(0, 0, 0, 0, 0, 40), 'y ~ treatment + sex'), 'R7').verdicts;
    expect(same).toMatchObject([
      {
        names: ['level placebo of treatment', 'level male of sex'],
        problem: 'every row has it',
      },
    ]);
  });

  it('R5: the group that one row makes', () => {
    const g = Array.from({ length: 60 }, (_, r) => r % 3);
    const c = spread(60).map((v, r) => (g[r] === 2 ? (r === 2 ? 50 : 0.01 * v) : v));
    const table = tableOf({ y: spread(60), c, treatment: g }, { treatment: treatments });
    expect(named(table, 'R5', 'y ~ c + treatment')).toContain('c over level placebo of treatment');
  });

  it('combinations, and columns that are no levels', () => {
    const rare = counted(20, 20, 20, 20, 20, 3);
    expect(named(rare, 'R3', 'y ~ treatment * sex')).toEqual([
      'placebo of treatment × male of sex',
    ]);
    const numbers = tableOf({ y: spread(40), b: spread(40).map((_, r) => (r < 3 ? 7 : 2)) });
    const { verdicts } = ruleOf(audited(numbers, 'y ~ b'), 'R3');
    expect(verdicts).toMatchObject([
      { columns: ['b'], problem: 'fewer than 5 rows have one of the two values' },
    ]);
  });

  it('in a total as at a site', () => {
    const table = counted(20, 20, 20, 20, 20, 3);
    const agreed = agreement(studyOf(table, 'y ~ treatment + sex'));
    const { statistic } = summaryOf(agreed, table, everyRow(table));
    const total = auditTotal(statistic, agreed.design.terms, standardOf());
    expect(ruleOf(total, 'R4').verdicts).toEqual(
      ruleOf(audited(table, 'y ~ treatment + sex'), 'R4').verdicts,
    );
  });
});

// Pairs of levels of one category, and rows off a level, are left out: others tell of them.
it('R3 and R4 let no small cell of levels through', () => {
  const pair = fc.tuple(fc.nat(2), fc.nat(1));
  const rows = fc.array(pair, { minLength: 20, maxLength: 60 });
  fc.assert(
    fc.property(rows, (pairs) => {
      const audit = audited(patients(pairs), 'y ~ treatment + sex');
      const count = (holds: (t: number, s: number) => boolean) =>
        pairs.filter(([t, s]) => holds(t, s)).length;
      const small = (n: number) => n > 0 && n < 5;
      const varied = (place: 0 | 1) => new Set(pairs.map((one) => one[place])).size > 1;
      const levels = [0, 1, 2].map((t) => count((own) => own === t));
      const genders = [0, 1].map((s) => count((_, own) => own === s));
      const cells = [0, 1, 2].flatMap((t) =>
        [0, 1].map((s) => count((a, b) => a === t && b === s)),
      );
      expect(ruleOf(audit, 'R3').outcome === 'block').toBe([...levels, ...genders].some(small));
      const crossed = varied(0) && varied(1);
      expect(ruleOf(audit, 'R4').outcome === 'block').toBe(crossed && cells.some(small));
      for (const { columns } of ruleOf(audit, 'R4').verdicts) {
        expect(columns.filter((name) => name.includes('sex'))).toHaveLength(1);
      }
    }),
    { numRuns: cases(200) },
  );
});

describe('the audit as text', () => {
  const of = (findings: Partial<Record<RuleId, Finding>>) => {
    const pass = Object.fromEntries(ruleIds.map((rule) => [rule, { verdicts: [] }]));
    return auditOf('default', { ...pass, ...findings } as Record<RuleId, Finding>);
  };

  it('folds rules that do not apply for the same reason', () => {
    const [noise, other] = [notApplicable('the noise protects'), notApplicable('something else')];
    const text = auditText(of({ R0: noise, R1: noise, R2: noise, R4: other, R5: noise }));
    expect(text).toContain('  R0–R2  –         the noise protects\n');
    expect(text).toContain('  R4     –         no small cell of two columns (something else)\n');
    expect(text).toContain('  R5     –         no group of which');
  });

  it('fits a terminal of 80 columns', () => {
    const audit = audited(counted(2, 2, 20, 20, 3, 3), 'y ~ treatment * sex');
    const text = auditText(audit);
    expect(text.split('\n').filter((line) => line.length > 80)).toEqual([]);
    expect(text.split(/\s+/).join(' ')).toContain(
      'merge rare levels in the codebook, leave the column out, or leave these rows out',
    );
  });

  it('can be about some rules alone', () => {
    const text = objectionText(audited(counted(20, 20, 20, 20, 20, 3), 'y ~ treatment + sex'), [
      'R4',
    ]);
    expect(text.split('\n')[1].trim()).toBe(
      'placebo of treatment × male of sex: fewer than 5 rows share it',
    );
    expect(text).not.toMatch(/R[0-35-9]/);
  });
});

it('a study’s own limits are told against its profile, laxer or stricter', () => {
  expect(weakerThan({})).toEqual([]);
  expect(weakerThan({ profile: 'none', thresholds: { cell: 1 } })).toEqual([]);
  expect(weakerThan({ thresholds: { cell: 5, oneLevel: 0.9 } })).toEqual([]);
  expect(weakerThan({ thresholds: { cell: 1 } })).toEqual([
    'rows 3 (default 10), laxer',
    'cell 1 (default 5), laxer',
  ]);
  expect(
    weakerThan({
      profile: 'agency',
      thresholds: { dominance: [0.4, 0.8], epsilon: 2, freedom: 4 },
    }),
  ).toEqual([
    'freedom 4 (agency 10), laxer',
    'dominance 0.4,0.8 (agency 0.5,0.67), laxer',
    'epsilon 2 (agency 10), stricter',
  ]);
});
