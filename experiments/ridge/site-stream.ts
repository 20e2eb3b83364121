import { agreement, contribution, reduction } from '../../src/federate.ts';
import { createKernels } from '../../src/numeric/kernels.ts';
import { wordsOf } from '../../src/statistic/layout.ts';
import { ringAddInto } from '../../src/statistic/ring.ts';
import { type Statistic, statistics } from '../../src/statistic/statistic.ts';
import type { Study } from '../../src/study/study.ts';
import type { Rows } from '../data/generator.ts';
import {
  columnsOf,
  fitOf,
  numberedSite,
  resolved,
  sentAndRead,
  siteContribution,
} from './exact.ts';

/** Sites that come one by one; each is added and dropped, so that memory does not grow with their number. */
export interface SiteStream {
  add(rows: Rows): void;
  /** One-shot fusion of the sites so far. */
  fused(): { readonly weights: Float64Array; readonly seconds: number };
  /** The oracle over the same rows, as one site. */
  central(): Float64Array;
  /** Bytes that the coordinator keeps: the total, and the memory of its kernels, which the sites share here. */
  held(): number;
}

export function siteStream(study: Study): SiteStream {
  const agreed = agreement(study);
  const kernels = createKernels();
  const words = wordsOf(agreed.layout);
  const total: Statistic = statistics(agreed.layout).zero;
  const pooled = reduction(agreed, { file: 'all sites', missing: 'refuse' });
  let sites = 0;
  let seconds = 0;
  return {
    held: () => total.values.byteLength + kernels.memory.buffer.byteLength,
    add(rows) {
      const begun = performance.now();
      const own = siteContribution(agreed, numberedSite(sites++), rows, kernels);
      ringAddInto(total.values, sentAndRead(agreed, own).statistic.values, words);
      seconds += (performance.now() - begun) / 1000;
      pooled.add({ rows: rows.count, columns: columnsOf(agreed, rows) }, (r) => r + 1);
    },
    fused() {
      const begun = performance.now();
      const { estimates } = fitOf(agreed, { total, contributions: sites }).models[0]!;
      return { weights: estimates, seconds: seconds + (performance.now() - begun) / 1000 };
    },
    central() {
      const all = contribution(agreed, numberedSite(0), pooled.finish());
      return resolved(agreed, [sentAndRead(agreed, all)]).models[0]!.estimates;
    },
  };
}
