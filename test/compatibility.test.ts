import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { conclude } from '../src/conclude.ts';
import { readContribution, totalDigest } from '../src/federate.ts';
import { parseStudy } from '../src/fusion/study-schema.ts';
import type { Report } from '../src/model/report.ts';
import { reproducibleKernels } from '../src/numeric/kernels.ts';
import { keyedWords } from '../src/random/keyed-words.ts';
import { type Contribution, encodeContribution } from '../src/statistic/envelope.ts';
import {
  rowCount,
  type Statistic,
  statisticBytes,
  sumStatistics,
} from '../src/statistic/statistic.ts';
import { canonicalJson } from '../src/study/canonical-json.ts';
import { digestBytes } from '../src/study/digest.ts';
import { lasting } from './landed-report.ts';
import type { LinearSummary } from './linear.ts';
import { type Agreement, agreement, collect, contribution, reduction } from './linear.ts';

// What the library is asked for. The rest of this file knows vectors alone.

const kernels = reproducibleKernels();

const agreedOf = (study: unknown): Agreement => agreement(parseStudy(study));

const isPrivate = ({ study }: Agreement): boolean => Boolean(study.privacy);

const layoutsOf = ({ layout, rowsLayout }: Agreement): { sent: string; rows: string } => ({
  sent: canonicalJson(layout),
  rows: canonicalJson(rowsLayout),
});

function reduced(agreed: Agreement, cells: Cells): LinearSummary {
  return kernels.scoped(() => {
    const site = reduction(agreed, { file: 'site.csv', missing: 'drop', kernels, fewRows: true });
    const columns = agreed.columns.map(({ name }) =>
      Float64Array.from(cells[name], (cell) => cell ?? Number.NaN),
    );
    site.add({ rows: columns[0].length, columns }, (r) => r + 1);
    return site.finish();
  });
}

const sentBy = (agreed: Agreement, site: string, summary: LinearSummary): Contribution =>
  contribution(agreed, site, summary);

function received(agreed: Agreement, file: Uint8Array): Contribution {
  const decoded = readContribution(agreed, file);
  if ('refused' in decoded) throw new Error(decoded.refused);
  return decoded.contribution;
}

const totalOf = (agreed: Agreement, parts: readonly Statistic[]): string =>
  totalDigest(agreed, sumStatistics(agreed.layout, parts));

/** What a coordinator answers; the noise of a private total is drawn from a key of 32 sevens. */
function concluded(agreed: Agreement, contributions: readonly Contribution[]): Report | string {
  const exact = collect(agreed, contributions);
  const words = keyedWords(new Uint8Array(32).fill(7), 'total');
  const lines = contributions.map(({ site, dropped, statistic }) =>
    isPrivate(agreed) ? { name: site } : { name: site, n: rowCount(statistic), dropped },
  );
  const found = conclude(agreed, exact, { sites: lines, random: words, audience: 'everyone' });
  return 'problem' in found ? found.problem : found.report;
}

/** Columns by name; null where a cell is missing. */
type Cells = Readonly<Record<string, readonly (number | null)[]>>;
type BySite<T> = Readonly<Record<string, T>>;

/** A study and what commit 54a254b made of it. */
interface Landed {
  readonly name: string;
  readonly table: string;
  readonly study: unknown;
  readonly digest: string;
  /** Canonical JSON; `rowsLayout` where rows are reduced to something else first. */
  readonly layout: string;
  readonly rowsLayout?: string;
  /** SHA-256 of the file each site sends, unsigned; of a private study, whose files are random, of its sums. */
  readonly contributions?: BySite<string>;
  readonly statistics?: BySite<string>;
  /** Digest of the exact total. */
  readonly total: string;
  /** Files with noise of the site's own, in base64. */
  readonly files?: BySite<string>;
  /** Numbers rounded to ten digits. */
  readonly report?: Report;
  readonly problem?: string;
}

const landed = JSON.parse(
  readFileSync(new URL('vectors/landed/studies.json', import.meta.url), 'utf8'),
) as {
  readonly tables: Readonly<Record<string, BySite<Cells>>>;
  readonly vectors: readonly Landed[];
  readonly refusals: readonly {
    readonly name: string;
    readonly study: unknown;
    readonly message: string;
  }[];
};

const mapped = <T, U>(sites: BySite<T>, make: (value: T, site: string) => U): BySite<U> =>
  Object.fromEntries(Object.entries(sites).map(([site, value]) => [site, make(value, site)]));

describe.each(landed.vectors)('$name', (vector) => {
  const agreed = agreedOf(vector.study);
  const summaries = mapped(landed.tables[vector.table], (cells) => reduced(agreed, cells));
  const files =
    vector.files && mapped(vector.files, (text) => new Uint8Array(Buffer.from(text, 'base64')));
  const contributions = () =>
    files === undefined
      ? mapped(summaries, (summary, site) => sentBy(agreed, site, summary))
      : mapped(files, (file) => received(agreed, file));

  it('has the digest and the layouts it had', () => {
    expect(agreed.digest).toBe(vector.digest);
    expect(layoutsOf(agreed)).toEqual({
      sent: vector.layout,
      rows: vector.rowsLayout ?? vector.layout,
    });
  });

  it('makes of the same rows the same bytes', () => {
    if (vector.statistics !== undefined) {
      const sums = mapped(summaries, ({ statistic }) => digestBytes(statisticBytes(statistic)));
      expect(sums).toEqual(vector.statistics);
      expect(
        totalOf(
          agreed,
          Object.values(summaries).map(({ statistic }) => statistic),
        ),
      ).toBe(vector.total);
      return;
    }
    const sent = contributions();
    expect(mapped(sent, (one) => digestBytes(encodeContribution(one)))).toEqual(
      vector.contributions,
    );
    expect(
      totalOf(
        agreed,
        Object.values(sent).map(({ statistic }) => statistic),
      ),
    ).toBe(vector.total);
  });

  it('comes to the same answer', () => {
    const answer = concluded(agreed, Object.values(contributions()));
    expect(lasting(answer)).toEqual(lasting(vector.report ?? vector.problem));
  });
});

describe('files with noise of the site’s own are read as they were sent', () => {
  it.each(landed.vectors.filter(({ files }) => files !== undefined))('$name', (vector) => {
    const agreed = agreedOf(vector.study);
    const again = mapped(vector.files!, (text) =>
      Buffer.from(encodeContribution(received(agreed, Buffer.from(text, 'base64')))),
    );
    expect(mapped(again, (file) => file.toString('base64'))).toEqual(vector.files);
  });
});

describe('studies that were refused still are, in the same words', () => {
  it.each(landed.refusals)('$name', ({ study, message }) => {
    expect(() => agreedOf(study)).toThrow(message);
  });
});

describe('the vectors', () => {
  const kinds = landed.vectors.map(({ layout }) => JSON.parse(layout));

  it('are of every fusion and every arithmetic', () => {
    expect(landed.vectors.length).toBeGreaterThan(60);
    for (const kind of ['ridge', 'fisher', 'average', 'fesc']) {
      expect(JSON.stringify(landed.vectors.map(({ study }) => study))).toContain(
        `"kind":"${kind}"`,
      );
    }
    expect(new Set(kinds.map(({ grid }) => grid))).toEqual(new Set([16, 44, 66, 88]));
    expect(new Set(kinds.map(({ arithmetic }) => arithmetic))).toEqual(
      new Set(['exact', 'compact']),
    );
    expect(new Set(kinds.map(({ privacy }) => privacy?.kind))).toEqual(
      new Set([undefined, 'products', 'gradient']),
    );
  });
});
