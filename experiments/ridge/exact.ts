import type { Collected } from '../../src/aggregation/aggregation.ts';
import {
  type Agreement,
  agreement,
  collect,
  contribution,
  readContribution,
  reduction,
} from '../../src/federate.ts';
import type { Fit } from '../../src/model/fit.ts';
import { createKernels, type Kernels } from '../../src/numeric/kernels.ts';
import { signingKey } from '../../src/protocol/signature.ts';
import { signContribution } from '../../src/protocol/signed-contribution.ts';
import { type Contribution, encodeContribution } from '../../src/statistic/envelope.ts';
import type { Codebook, Column } from '../../src/study/codebook.ts';
import type { RidgeRule, TableStudy } from '../../src/study/study.ts';
import { toBase64url } from '../../src/text/base64url.ts';
import { encodeMessage, type WireTraffic } from '../baselines/wire.ts';
import type { GeneratorSetting, Rows } from '../data/generator.ts';
import { studyOf } from '../privacy/one-shot.ts';
import type { Work } from './work.ts';

/** The production code's result for the sites' rows. */
export interface ExactFit {
  readonly weights: Float64Array;
  readonly fit: Fit;
  /** Bytes of the encoded, signed contributions, and of the model sent back. */
  readonly traffic: WireTraffic;
  /** Seconds of all parties, one after another, without signatures. */
  readonly seconds: number;
  /** The decoded contributions, in the order of the sites. */
  readonly contributions: readonly Contribution[];
}

/** The study of §V: no intercept, σ on the diagonal, exact arithmetic unless given. */
export function ridgeStudy(
  setting: Pick<GeneratorSetting, 'features' | 'spectrum'>,
  ridge: number | RidgeRule,
  more: Partial<Pick<TableStudy, 'arithmetic' | 'features'>> = {},
): TableStudy {
  const study = studyOf(setting.features, null);
  const codebook = setting.spectrum === undefined ? study.codebook : widened(study.codebook);
  return { ...study, codebook, fusion: { kind: 'ridge', ridge }, ...more };
}

/** Ranges for features whose standard deviations fall from at most 30. */
function widened(codebook: Codebook): Codebook {
  const wide = ([name, column]: [string, Column]) => [name, { ...column, range: [-256, 256] }];
  return Object.fromEntries(Object.entries(codebook).map(wide));
}

/** Complete one-shot fusion: each site reduces its rows and encodes a contribution; these are decoded, added and resolved. */
export function* oneShotExperiment(study: TableStudy, sites: readonly Rows[]): Work<ExactFit> {
  const begun = performance.now();
  const agreed = agreement(study);
  const kernels = createKernels();
  const contributions: Contribution[] = [];
  let up = 0;
  let pauses = 0;
  for (const [k, rows] of sites.entries()) {
    const own = siteContribution(agreed, numberedSite(k), rows, kernels);
    contributions.push(sentAndRead(agreed, own));
    const paused = performance.now();
    up += signedBytes(own);
    yield (k + 1) / (sites.length + 1);
    pauses += performance.now() - paused;
  }
  const fit = resolved(agreed, contributions);
  const weights = fit.models[0]!.estimates;
  const seconds = (performance.now() - begun - pauses) / 1000;
  const down = sites.length * encodeMessage({ round: 1, vectors: { weights } }).length;
  return { weights, fit, traffic: { up, down }, seconds, contributions };
}

/** The same with all rows at one site: the centralised oracle. */
export function* oracle(study: TableStudy, sites: readonly Rows[]): Work<ExactFit> {
  const begun = performance.now();
  const agreed = agreement(study);
  const reducing = reduction(agreed, { file: 'simulated', missing: 'refuse' });
  let pauses = 0;
  for (const [k, rows] of sites.entries()) {
    reducing.add({ rows: rows.count, columns: columnsOf(agreed, rows) }, (r) => r + 1);
    const paused = performance.now();
    yield (k + 1) / (sites.length + 1);
    pauses += performance.now() - paused;
  }
  const own = contribution(agreed, numberedSite(0), reducing.finish());
  const contributions = [sentAndRead(agreed, own)];
  const fit = resolved(agreed, contributions);
  const weights = fit.models[0]!.estimates;
  const seconds = (performance.now() - begun - pauses) / 1000;
  return { weights, fit, traffic: { up: 0, down: 0 }, seconds, contributions };
}

/** The contribution of a site's rows. */
export function siteContribution(
  agreed: Agreement,
  site: string,
  rows: Rows,
  kernels: Kernels,
): Contribution {
  return kernels.scoped(() => {
    const reducing = reduction(agreed, { file: site, missing: 'refuse', kernels });
    reducing.add({ rows: rows.count, columns: columnsOf(agreed, rows) }, (r) => r + 1);
    return contribution(agreed, site, reducing.finish());
  });
}

/** Encodes and decodes a contribution, as a site and the coordinator do. */
export function sentAndRead(agreed: Agreement, own: Contribution): Contribution {
  const decoded = readContribution(agreed, encodeContribution(own));
  if ('refused' in decoded) throw new Error(decoded.refused);
  return decoded.contribution;
}

/** Names of equal length, so that contributions have equal length too. */
export function numberedSite(k: number): string {
  return `site-${String(k + 1).padStart(5, '0')}`;
}

const key = signingKey(toBase64url(new Uint8Array(32).fill(7)));

// All signatures have the same length, so one is enough to know it.
const seal = { key: key.key, signature: '' };

/** Bytes of a contribution as a site sends it: signed. */
export function signedBytes(own: Contribution): number {
  if (seal.signature === '') seal.signature = signContribution(own, key).seal.signature;
  return encodeContribution({ ...own, seal }).length;
}

/** The coordinator's result for contributions. */
export function resolved(agreed: Agreement, contributions: readonly Contribution[]): Fit {
  const sent = collect(agreed, contributions);
  if ('problem' in sent) throw new Error(sent.problem);
  return fitOf(agreed, sent);
}

/** The fit of collected contributions, or of a total alone. */
export function fitOf({ method }: Agreement, sent: Collected): Fit {
  const made = method.resolve(sent);
  if ('problem' in made) throw new Error(made.problem);
  if (made.fit === undefined) throw new Error('the method has no fit');
  return made.fit;
}

/** The rows in the order of the agreement's columns; features are named x1, x2, … */
export function columnsOf(agreed: Agreement, rows: Rows): Float64Array[] {
  return agreed.columns.map(({ name }) =>
    name === 'y' ? rows.response : rows.features[Number(name.slice(1)) - 1]!,
  );
}
