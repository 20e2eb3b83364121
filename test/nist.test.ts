import { describe, expect, it } from 'vitest';
import type { Report } from '../src/model/report.ts';
import { fitReport, temporaryFolder, writeSites } from './cli.ts';
import { hasSharedData, sharedJson, sharedLines } from './shared-data.ts';

interface Certified {
  readonly columns: readonly string[];
  readonly degree: number | null;
  readonly intercept: boolean;
  readonly params: readonly { readonly estimate: string; readonly se: string }[];
  readonly residual_sd: string;
  readonly r_squared: string;
  readonly F: string;
  /** Recomputed from the decimal data with 80 digits: not limited to the 15 that NIST prints. */
  readonly high_precision_recomputed: {
    readonly beta: readonly string[];
    readonly se: readonly string[];
  };
}

/** Digits two numbers share, by the log relative error; for a true 0, digits below `scale`. */
function digitsOf(got: number | null | undefined, truth: string, scale: number): number {
  const expected = Number(truth);
  if (got === null || got === undefined) return Number.isFinite(expected) ? 0 : 15;
  if (!Number.isFinite(expected)) return got > 1e20 ? 15 : 0;
  const error = Math.abs(got - expected) / (expected === 0 ? scale : Math.abs(expected));
  return Math.min(15, error === 0 ? 15 : -Math.log10(error));
}

function formulaOf({ columns, degree, intercept }: Certified): string {
  const powers = Array.from({ length: (degree ?? 1) - 1 }, (_, k) => `I(x^${k + 2})`);
  return `y ~ ${[...columns.slice(1), ...powers].join(' + ')}${intercept ? '' : ' - 1'}`;
}

interface Reached {
  readonly estimates: number;
  readonly errors: number;
  readonly summary: number;
}

/** NIST prints 15 digits, the last of them rounded. */
const LAST_DIGIT = 0.5;

function reached(report: Report, certified: Certified, scale: number): Reached {
  const { beta, se } = certified.high_precision_recomputed;
  const worst = (digits: readonly number[]) => Math.min(15, ...digits);
  const { glance, terms } = report;
  expect(terms).toHaveLength(certified.params.length);
  return {
    estimates: worst(
      terms!.flatMap(({ estimate }, k) => [
        digitsOf(estimate, beta[k], scale),
        digitsOf(estimate, certified.params[k].estimate, scale) + LAST_DIGIT,
      ]),
    ),
    errors: worst(
      terms!.flatMap((term, k) => [
        digitsOf(term['std.error'], certified.params[k].se, scale) + LAST_DIGIT,
        ...(Number(certified.params[k].se) === 0
          ? []
          : [digitsOf(term['std.error'], se[k], scale)]),
      ]),
    ),
    summary: worst([
      digitsOf(glance!.sigma, certified.residual_sd, scale),
      digitsOf(glance!['r.squared'], certified.r_squared, 1),
      digitsOf(glance!.statistic, certified.F, 1),
    ]),
  };
}

describe.skipIf(!hasSharedData)('NIST StRD linear regression, over three sites', () => {
  const folder = temporaryFolder();
  const sets = hasSharedData
    ? Object.entries(sharedJson<Record<string, Certified>>('nist-strd', 'certified.json'))
    : [];
  const table: Record<string, Record<string, number | string>> = {};
  const round = (digits: number) => Math.floor(digits * 10) / 10;

  it.each(sets)(
    '%s: certified to ten digits by itself, to thirteen on the finest grid',
    async (name, certified) => {
      const { header, lines } = sharedLines('nist-strd', 'csv', `${name}.csv`);
      const files = writeSites(folder, name, header, lines, 3);
      const scale = Math.max(...lines.map((line) => Math.abs(Number(line.split(',')[0]))));
      const formula = formulaOf(certified);
      const report = await fitReport(formula, files);
      const own = reached(report, certified, scale);
      const fine = await fitReport(formula, files, '--grid', '88');
      const finest = reached(fine, certified, scale);
      table[name] = {
        grid: report.grid,
        vouched: report.digits!,
        estimates: round(own.estimates),
        'std. errors': round(own.errors),
        's, R², F': round(own.summary),
        'vouched at 88': fine.digits!,
        'estimates at 88': round(finest.estimates),
        'std. errors at 88': round(finest.errors),
      };
      expect(own.estimates).toBeGreaterThanOrEqual(10);
      expect(own.errors).toBeGreaterThanOrEqual(10);
      expect(own.summary).toBeGreaterThanOrEqual(10);
      expect(finest.estimates).toBeGreaterThanOrEqual(13);
      for (const [made, digits] of [[report, own] as const, [fine, finest] as const]) {
        expect(Math.min(digits.estimates, 13)).toBeGreaterThanOrEqual(made.digits! - 0.5);
      }
    },
  );

  it('prints the digits reached', () => {
    console.table(table);
    expect(Object.keys(table)).toHaveLength(11);
  });
});
