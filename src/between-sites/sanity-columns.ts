import { type Flag, siteFlag } from '../model/site-flag.ts';
import { significant } from '../text/number-text.ts';
import {
  MANY_SITES,
  type Moments,
  median,
  robustSpread,
  type SiteMoments,
} from './site-moments.ts';
import { unitMistake } from './unit-mistake.ts';

const FEW_ROWS = 8; // below this a site's spread says nothing
const Z = 5; // standard errors above which a difference between sites is not chance
const SCALE = 1.6; // ratio of spreads below which units are not in doubt
const SHIFT = 2; // standard deviations below which a mean is not in doubt
const CHANCE = 1e-6; // of a level missing from a site, below which it is worth asking

/**
 * Flags columns whose mean or spread at a site differs from the other sites by more than chance, or that are constant
 * there.
 */
export function columnFlags(sites: readonly SiteMoments[]): Flag[] {
  if (sites.length < 2) return [];
  const { layout } = sites[0].statistic;
  return layout.columns.slice(1).flatMap((column, j) => {
    const numeric = sites.filter(({ twoValued }) => !twoValued[j]).length > sites.length / 2;
    const varying = sites.filter(({ n, columns }) => n >= FEW_ROWS && columns[j].sd > 0);
    const ofAll = varying.length > MANY_SITES ? typicalOf(varying, j) : undefined;
    return sites.flatMap((site) => {
      if (site.n < FEW_ROWS) return [];
      if (site.columns[j].sd === 0) return constantFlags(column, j, site, sites, numeric);
      if (!numeric || varying.length < 2) return [];
      const typical =
        ofAll ??
        typicalOf(
          varying.filter((other) => other !== site),
          j,
        );
      return scaleOrLocation(column, j, site, typical);
    });
  });
}

/** A column as sites usually have it: medians over the sites, and their spread. */
interface Typical extends Moments {
  readonly sites: number;
  readonly rows: number;
  /** MAD of the means, and of the logarithms of the SDs. */
  readonly meanSpread: number;
  readonly logSpread: number;
}

function typicalOf(sites: readonly SiteMoments[], j: number): Typical {
  const logs = sites.map(({ columns }) => Math.log(columns[j].sd));
  const means = sites.map(({ columns }) => columns[j].mean);
  return {
    sites: sites.length,
    rows: median(sites.map(({ n }) => n)),
    mean: median(means),
    sd: Math.exp(median(logs)),
    meanSpread: robustSpread(means),
    logSpread: robustSpread(logs),
  };
}

function constantFlags(
  column: string,
  j: number,
  { site, n, columns }: SiteMoments,
  sites: readonly SiteMoments[],
  numeric: boolean,
): Flag[] {
  const { mean } = columns[j];
  const others = sites.filter((other) => other.site !== site);
  const varying = others.filter((other) => other.n >= FEW_ROWS && other.columns[j].sd > 0);
  if (varying.length === 0) return [];
  if (!numeric) {
    // A level may be absent at some sites; a level that all the others have is suspicious.
    if (others.length < 2 || varying.length < others.length) return [];
    const rows = others.reduce((sum, other) => sum + other.n, 0);
    const share = others.reduce((sum, other) => sum + (other.n / rows) * other.columns[j].mean, 0);
    const same = Math.abs(mean - share); // share of the others' rows with the other value
    if (!((1 - Math.min(1, same)) ** n < CHANCE)) return [];
  }
  return [
    siteFlag(
      { site, kind: 'constant', column },
      `${column} is ${significant(mean)} in all ${n} rows, and varies at the other sites`,
      'ask whether the value stands for missing, or the column was left at its default',
    ),
  ];
}

function scaleOrLocation(
  column: string,
  j: number,
  { site, n, columns }: SiteMoments,
  typical: Typical,
): Flag[] {
  const own = columns[j];
  const { rows } = typical;
  const ratio = own.sd / typical.sd;
  // Var(ln s) is (κ − 1)/4n: half of 1/n for a normal, and four times that for heavy tails.
  const chance = 2 / n + 2 / rows;
  const reach = Math.sqrt(chance + typical.logSpread ** 2);
  const mistake = unitMistake(own, typical, 3 * Math.sqrt(chance));
  const shift = own.mean - typical.mean;
  const size = Math.sqrt((own.sd ** 2 + typical.sd ** 2) / 2);
  const error = Math.hypot(own.sd / Math.sqrt(n), typical.sd / Math.sqrt(rows), typical.meanSpread);
  const shifted = Math.abs(shift) > Math.max(SHIFT * size, Z * error);
  const differs = Math.abs(Math.log(ratio)) > Math.max(Math.log(SCALE), Z * reach);
  if (mistake === undefined ? differs && typical.sites > 1 : differs || shifted) {
    const unit = mistake === undefined ? '' : `, as with ${mistake}`;
    const texts = [own.sd, typical.sd, own.mean, typical.mean].map((v) => significant(v, 3));
    return [
      siteFlag(
        { site, kind: 'scale', column },
        `${column} has SD ${texts[0]} here and ${texts[1]} elsewhere (${significant(ratio, 3)} times), ` +
          `mean ${texts[2]} and ${texts[3]}${unit}`,
        'ask in which unit the column is, and whether columns were swapped',
      ),
    ];
  }
  if (typical.sites < 2 || !shifted) return [];
  return [
    siteFlag(
      { site, kind: 'location', column },
      `${column} has mean ${significant(own.mean, 3)} here and ${significant(typical.mean, 3)} elsewhere: ${significant(Math.abs(shift) / size, 2)} SDs away`,
      'ask in which unit or from which zero the column counts, and whether columns were swapped',
    ),
  ];
}
