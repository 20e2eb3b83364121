import { cpSync, existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Audit, RuleId, RuleOutcome } from '../src/disclosure/rule.ts';
import type { LedgerLine } from '../src/site/ledger-chain.ts';
import type { Codebook } from '../src/study/codebook.ts';
import type { Study, TableStudy } from '../src/study/study.ts';
import { suffice } from './cli.ts';

export type Cell = string | number;

/** What became of a file that a site wanted to release. */
export interface Released {
  readonly code: number | null;
  readonly stderr: string;
  /** Whether the contribution was written. */
  readonly written: boolean;
  rule(id: RuleId): RuleOutcome;
}

/** A site that writes contributions by the command, with one folder of its own. */
export interface ReleasingSite {
  readonly home: string;
  release(
    study: Study,
    rows: readonly (readonly Cell[])[],
    ...flags: readonly string[]
  ): Promise<Released>;
  lines(): readonly LedgerLine[];
}

/** A site with a new folder, or with one that older versions have left. */
export function releasingSite(
  root: string,
  header: readonly string[],
  old?: string,
): ReleasingSite {
  const folder = mkdtempSync(join(root, 'site-'));
  const home = join(folder, 'home');
  if (old !== undefined) cpSync(old, home, { recursive: true });
  let count = 0;
  return {
    home,
    async release(study, rows, ...flags) {
      count++;
      const path = (ending: string) => join(folder, `${count}.${ending}`);
      writeFileSync(path('json'), JSON.stringify(study));
      writeFileSync(path('csv'), `${[header, ...rows].map((row) => row.join(',')).join('\n')}\n`);
      const { code, stdout, stderr } = await suffice(
        ...['contribute', path('json'), path('csv'), '--site', 'north', '--out', path('suffice')],
        ...['--home', home, '--json', ...flags],
      );
      const audit = (): Audit => {
        if (stdout === '') throw new Error(stderr);
        return JSON.parse(stdout).audit;
      };
      return {
        code,
        stderr,
        written: existsSync(path('suffice')),
        rule: (id) => audit().rules.find(({ rule }) => rule === id)!,
      };
    },
    lines() {
      const path = join(home, 'ledger.jsonl');
      if (!existsSync(path)) return [];
      const texts = readFileSync(path, 'utf8').trimEnd().split('\n');
      return texts.map((text) => JSON.parse(text));
    },
  };
}

export function exactStudy(
  formula: string,
  codebook: Codebook,
  more: Partial<TableStudy> = {},
): TableStudy {
  return {
    schema: 'suffice/study@1',
    formula,
    codebook,
    fusion: { kind: 'ridge', ridge: 0 },
    arithmetic: 'exact',
    ...more,
  };
}

export function privateStudy(formula: string, codebook: Codebook, epsilon: number): TableStudy {
  const privacy = { epsilon, delta: 1e-6, unit: 'row' } as const;
  return exactStudy(formula, codebook, { privacy });
}
