import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Audit } from '../src/disclosure/rule.ts';
import type { Study, TableStudy } from '../src/study/study.ts';
import { runSuffice, suffice, temporaryFolder } from './cli.ts';
import { servedStudy } from './served-study.ts';

const root = temporaryFolder();
let runs = 0;

const csv = join(root, 'site.csv');
const rows = Array.from({ length: 200 }, (_, r) =>
  [20 + ((r * 37) % 61), 100 + ((r * 53) % 80), (r * 11) % 6 === 0 ? 1 : 0].join(','),
);
writeFileSync(csv, `${['age,sbp,died', ...rows].join('\n')}\n`);

const study: TableStudy = {
  schema: 'suffice/study@1',
  formula: 'sbp ~ age',
  codebook: {
    age: { type: 'number', range: [18, 100] },
    sbp: { type: 'number', range: [80, 220] },
    died: { type: 'number', range: [0, 1] },
  },
  fusion: { kind: 'ridge', ridge: 0 },
  arithmetic: 'exact',
};

/** What `suffice contribute` makes of a study at a site with these rules of its own. */
async function contributed(asked: Study, rules: object | undefined, ...flags: string[]) {
  const path = join(root, `${++runs}.json`);
  writeFileSync(path, JSON.stringify(asked));
  const out = join(root, `${runs}.suffice`);
  const home = join(root, `home-${runs}`);
  mkdirSync(home);
  if (rules !== undefined) writeFileSync(join(home, 'rules.json'), JSON.stringify(rules));
  const args = ['contribute', path, csv, '--out', out, '--home', home, '--json', ...flags];
  const { code, stdout, stderr } = await suffice(...args);
  const audit: Audit | undefined = stdout.startsWith('{') ? JSON.parse(stdout).audit : undefined;
  const nothing = !existsSync(out) && !existsSync(join(home, 'ledger.jsonl'));
  return { code, stderr, audit, nothing };
}

function named(audit: Audit | undefined, outcome: 'warn' | 'block'): string[] {
  return (audit?.rules ?? []).filter((rule) => rule.outcome === outcome).map(({ rule }) => rule);
}

describe('limits that a study has made laxer', () => {
  const lax: TableStudy = {
    ...study,
    disclosure: { profile: 'agency', thresholds: { rows: 3, cell: 1, influence: 1 } },
  };

  it('need an acknowledgement each, even if no rule objects', async () => {
    const refused = await contributed(lax, undefined);
    expect([refused.code, refused.nothing]).toEqual([5, true]);
    expect(named(refused.audit, 'warn')).toEqual(['R0', 'R3', 'R6']);
    expect(refused.stderr).toContain('cell 1 (agency 10)');
    const some = await contributed(lax, undefined, '--acknowledge', 'R0,R3');
    expect([some.code, some.nothing]).toEqual([5, true]);
    expect((await contributed(lax, undefined, '--acknowledge', 'R0,R3,R6')).code).toBe(0);
  });

  it('need none where the site keeps the usual ones, or the study’s are stricter', async () => {
    const kept = await contributed(lax, { profile: 'agency' });
    expect([kept.code, kept.audit?.outcome]).toEqual([0, 'pass']);
    expect((await contributed(lax, undefined, '--profile', 'agency')).code).toBe(0);
    const strict: TableStudy = { ...study, disclosure: { thresholds: { rows: 50 } } };
    expect((await contributed(strict, undefined)).code).toBe(0);
  });
});

describe('a study that has switched the rules off', () => {
  const open: TableStudy = { ...study, disclosure: { profile: 'none' } };

  it('needs an acknowledgement of its own: without it nothing is written', async () => {
    const refused = await contributed(open, undefined);
    expect([refused.code, refused.nothing]).toEqual([5, true]);
    expect(refused.stderr).toContain('switched the disclosure rules off');
    const other = await contributed(open, undefined, '--acknowledge', 'R0,R3,R11');
    expect([other.code, other.nothing]).toEqual([5, true]);
    expect((await contributed(open, undefined, '--acknowledge', 'none')).code).toBe(0);
  });

  it('needs none where the site has rules, and it is not one for their warnings', async () => {
    expect((await contributed(open, { profile: 'default' })).code).toBe(0);
    expect((await contributed(open, undefined, '--profile', 'default')).code).toBe(0);
    const warned: TableStudy = { ...open, formula: 'died ~ age', codebook: { ...study.codebook } };
    const lax = { profile: 'default', thresholds: { oneLevel: 0.8 } };
    const { code, audit, nothing } = await contributed(warned, lax, '--acknowledge', 'none');
    expect([code, named(audit, 'warn'), nothing]).toEqual([5, ['R7'], true]);
  });

  it('is not joined without it: nothing is sent', async () => {
    const folder = join(root, 'open');
    mkdirSync(folder);
    const { invitation, admin } = await servedStudy(folder, open, ['a']);
    const home = join(folder, 'home');
    const args = ['join', invitation('a'), csv, '--yes', '--home', home];
    const refused = await runSuffice(args);
    expect([refused.code, existsSync(join(home, 'ledger.jsonl'))]).toEqual([5, false]);
    expect((await admin.view()).sites[0].state).toBe('invited');
    expect((await runSuffice([...args, '--acknowledge', 'none'])).code).toBe(0);
  });
});

describe('a site’s own rules', () => {
  it('hold for every study, also one without rules', async () => {
    const open: TableStudy = { ...study, disclosure: { profile: 'none' } };
    const { code, audit, nothing } = await contributed(open, { thresholds: { rows: 201 } });
    expect([code, named(audit, 'block'), nothing]).toEqual([5, ['R0'], true]);
    const passes = await contributed(open, { thresholds: { rows: 200 } });
    expect([passes.code, passes.audit?.outcome]).toEqual([0, 'pass']);
  });

  it('do not loosen those of the study', async () => {
    const strict: TableStudy = { ...study, disclosure: { thresholds: { rows: 201 } } };
    const { code, audit } = await contributed(strict, { thresholds: { rows: 3 } });
    expect([code, named(audit, 'block')]).toEqual([5, ['R0']]);
  });

  it.each([
    ['the folder', { comparisons: 'forbid' }, []],
    ['a flag', undefined, ['--forbid-comparisons']],
  ] as const)('forbid comparisons, by %s', async (_, rules, flags) => {
    for (const formula of ['sbp ~ I(age > 45)', 'I(sbp > 130) ~ age', 'sbp ~ I(age*(age > 45))']) {
      const asked = { ...study, formula };
      const { code, audit, nothing } = await contributed(asked, rules, ...flags);
      expect([code, named(audit, 'block'), nothing]).toEqual([5, ['R3'], true]);
      expect((await contributed(asked, undefined)).code).toBe(0);
    }
    expect((await contributed({ ...study, formula: 'sbp ~ log(age)' }, rules, ...flags)).code).toBe(
      0,
    );
  });

  it('that cannot be read stop everything', async () => {
    const { code, stderr, nothing } = await contributed(study, { comparisons: 'no' });
    expect([code, nothing]).toEqual([3, true]);
    expect(stderr).toContain('rules of this site cannot be read');
  });
});

describe('sums that leave the range of numbers', () => {
  const acknowledged = ['--acknowledge', 'none'];
  const wrapping: TableStudy = {
    ...study,
    formula: 'died ~ age + sbp',
    disclosure: { profile: 'none' },
    fusion: { kind: 'glm', family: 'binomial', at: { '(Intercept)': 0, age: 5, sbp: -5 } },
  };

  it('are found at the site: nothing is written, and the ledger has no line', async () => {
    const { code, stderr, nothing } = await contributed(wrapping, undefined, ...acknowledged);
    expect([code, nothing]).toEqual([3, true]);
    expect(stderr).toContain('leave the range');
    expect(stderr).toContain('"remedy":"ask for a study with ranges that fit');
  });

  it('are not sent', async () => {
    const folder = join(root, 'served');
    mkdirSync(folder);
    const { invitation, admin } = await servedStudy(folder, wrapping, ['a']);
    const home = join(folder, 'home');
    const joined = await runSuffice([
      'join',
      invitation('a'),
      csv,
      '--yes',
      '--home',
      home,
      ...acknowledged,
    ]);
    expect(joined.code).toBe(3);
    expect(joined.stderr).toContain('leave the range');
    expect(existsSync(join(home, 'ledger.jsonl'))).toBe(false);
    const [site] = (await admin.view()).sites;
    expect(site.state).toBe('invited');
  });

  it('are not those of a start near the fit', async () => {
    const at = { '(Intercept)': -1.5, age: 0.002, sbp: -0.001 };
    const fusion = { kind: 'glm', family: 'binomial', at } as const;
    expect((await contributed({ ...wrapping, fusion }, undefined, ...acknowledged)).code).toBe(0);
  });
});
