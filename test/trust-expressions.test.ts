import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Audit, RuleId } from '../src/disclosure/rule.ts';
import type { TableStudy } from '../src/study/study.ts';
import { suffice, temporaryFolder } from './cli.ts';

const root = temporaryFolder();
let files = 0;

/** 120 patients with record numbers that are not one after the other. */
const patients = Array.from({ length: 120 }, (_, r) => ({
  mrn: 1000 + r * 3,
  id: 1 + r,
  age: 20 + ((r * 37) % 61),
  sbp: 100 + ((r * 53) % 80),
  income: 50 + ((r * 271) % 937),
  group: r % 5 === 0 ? 'rare' : r % 2 === 0 ? 'a' : 'b',
  y: 20 + ((r * 7.3) % 11),
}));
const csv = join(root, 'site.csv');
writeFileSync(
  csv,
  `${['mrn,id,age,sbp,income,group,y', ...patients.map((row) => Object.values(row).join(','))].join('\n')}\n`,
);

const codebook: TableStudy['codebook'] = {
  mrn: { type: 'number', range: [0, 2000] },
  id: { type: 'number', range: [1, 1000] },
  age: { type: 'number', range: [18, 100] },
  sbp: { type: 'number', range: [80, 220] },
  income: { type: 'number', range: [0, 1000] },
  group: { type: 'category', levels: ['a', 'b', 'rare'] },
  y: { type: 'number', range: [0, 100] },
};

async function contributed(formula: string, more: Partial<TableStudy> = {}, ...flags: string[]) {
  const study = {
    ...{ schema: 'suffice/study@1', formula, codebook, arithmetic: 'exact' },
    ...{ fusion: { kind: 'ridge', ridge: 0 }, ...more },
  };
  const path = join(root, `${++files}.json`);
  writeFileSync(path, JSON.stringify(study));
  const out = join(root, `${files}.suffice`);
  const home = join(root, `home-${files}`);
  const args = ['contribute', path, csv, '--out', out, '--home', home, '--json', ...flags];
  const { code, stdout } = await suffice(...args);
  const audit: Audit | undefined = stdout.startsWith('{') ? JSON.parse(stdout).audit : undefined;
  const nothing = !existsSync(out) && !existsSync(join(home, 'ledger.jsonl'));
  return { code, audit, nothing };
}

function rulesThat(audit: Audit | undefined, outcome: 'block' | 'warn'): RuleId[] {
  return (audit?.rules ?? []).filter((rule) => rule.outcome === outcome).map(({ rule }) => rule);
}

const everyRule = '--acknowledge=R0,R1,R2,R3,R4,R5,R6,R7,R8,R9,R10';
const secrets = [1003, 1018, 1021, 1039, 1051, 1060]
  .map((mrn, k) => `income*(mrn == ${mrn})*${1024 ** k}`)
  .join(' + ');

describe('values of persons inside an expression', () => {
  it.each<[string, string, RuleId, Partial<TableStudy>]>([
    ['in the low bits of a sum', `y ~ I(age + (${secrets})/2^70)`, 'R5', { grid: 88 }],
    ['of one person', 'y ~ I(age + income*(mrn == 1003)/1024)', 'R3', {}],
    ['of one person in the response', 'I(age + income*(mrn == 1003)/1024) ~ y', 'R3', {}],
    [
      'by two comparisons of which each has many rows',
      'y ~ I(age + income*((mrn <= 1150) - (mrn <= 1148))/1024)',
      'R4',
      {},
    ],
    ['by two products with comparisons', 'y ~ I(mrn <= 1150):age + I(mrn <= 1148):age', 'R4', {}],
    ['by three', 'y ~ I(age + income*(age > 65)*(sbp > 160)*(income > 700)/1024)', 'R5', {}],
    ['by a comparison of a record number', 'y ~ I(age + income*(id > 60)/1024)', 'R10', {}],
    ['by a level', 'y ~ I(age + income*(group == "rare")*(age < 26)/1024)', 'R5', {}],
    ['shifted away from 0', 'y ~ I(1 + age*(mrn == 1003))', 'R3', {}],
    ['inside a function', 'y ~ log(age + income*(mrn == 1003)/1024)', 'R3', {}],
    [
      'by a tent of abs()',
      'y ~ I(age + income*(abs(mrn - 1002) + abs(mrn - 1004) - 2*abs(mrn - 1003))/1024)',
      'R5',
      {},
    ],
    [
      'by a tent of which the response is the middle',
      'abs(mrn - 1150) ~ abs(mrn - 1147) + abs(mrn - 1153) + income',
      'R6',
      {},
    ],
    [
      'by a tent of responses',
      'cbind(abs(mrn - 1147), abs(mrn - 1150), abs(mrn - 1153)) ~ income',
      'R6',
      {},
    ],
    ['inside a comparison', 'y ~ I(age + income*(mrn == 1003) > 60)', 'R3', {}],
    ['a part that no measurement’s digits reach', 'y ~ I(age + income/2^40)', 'R5', {}],
  ])('%s are refused, whatever is acknowledged', async (_, formula, rule, more) => {
    const { code, audit, nothing } = await contributed(formula, more, everyRule);
    expect([code, nothing]).toEqual([5, true]);
    expect(rulesThat(audit, 'block')).toContain(rule);
  });

  it('by a smooth peak need an acknowledgement', async () => {
    const formula = 'y ~ I(age + income*exp(-3*(mrn - 1003)^2)/1024)';
    const { code, audit, nothing } = await contributed(formula);
    expect([code, nothing]).toEqual([5, true]);
    expect([...rulesThat(audit, 'warn'), ...rulesThat(audit, 'block')]).toContain('R6');
  });

  it.each([
    'y ~ I(age^2) + age',
    'y ~ I(age > 45)',
    'y ~ I(id > 60)',
    'y ~ log(age) + sqrt(sbp)',
    'y ~ age*group',
    'y ~ I(age > 45):sbp + sbp',
    'y ~ I((sbp - 120)*(sbp > 120))',
    'y ~ I(age + sbp)',
    'y ~ log(income + 1) + I(income/1000)',
    'y ~ I(sbp/age^2)',
    'I(y > 25) ~ age',
    'abs(age - 50) ~ sbp',
    'cbind(y, log(sbp)) ~ age + group',
    'I(2*age + 1) ~ age',
  ])('are not in honest formulas: %s', async (formula) => {
    const { code, audit } = await contributed(formula);
    const objections = audit?.rules.flatMap(({ verdicts }) => verdicts);
    expect([code, objections]).toEqual([0, []]);
  });

  it('need an acknowledgement where a sum of columns has a grid finer than measurements', async () => {
    const { code, audit, nothing } = await contributed('y ~ I(age + sbp)', { grid: 88 });
    expect([code, nothing, rulesThat(audit, 'warn')]).toEqual([5, true, ['R5']]);
    expect((await contributed('y ~ I(age^2)', { grid: 88 })).code).toBe(0);
  });
});
