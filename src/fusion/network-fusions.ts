import type { Fusions } from '../study/study.ts';
import { networkAverageKind } from './average-kind.ts';
import { compressedDiagonalKind, compressedKfacKind } from './compressed-kinds.ts';
import { denseKind } from './dense-kind.ts';
import { diagonalKind, mergeKind } from './diagonal-kinds.ts';
import { fullKind } from './full-kind.ts';
import type { FusionEntry } from './fusion-entry.ts';
import { kfacKind } from './kfac-kind.ts';
import { otFusionKind, pfnmKind } from './matched-kinds.ts';
import { networkEntry } from './network-method.ts';
import type { NetworkFusion } from './network-terms.ts';
import { regmeanKind } from './regmean-kind.ts';

/** Names of the fusions of networks. */
export type NetworkFusionName = NetworkFusion['kind'];

/** Every fusion of networks, by the name that a study gives it. */
export const networkFusions: { readonly [Kind in NetworkFusionName]: FusionEntry<Fusions[Kind]> } =
  {
    'network-average': networkEntry('network-average', () => networkAverageKind),
    otfusion: networkEntry('otfusion', () => otFusionKind),
    pfnm: networkEntry('pfnm', () => pfnmKind),
    'fisher-full': networkEntry('fisher-full', () => fullKind),
    'fisher-diagonal': networkEntry('fisher-diagonal', ({ compression }) =>
      compression === undefined ? diagonalKind : compressedDiagonalKind,
    ),
    'fisher-kfac': networkEntry('fisher-kfac', ({ compression }) =>
      compression === undefined ? kfacKind : compressedKfacKind,
    ),
    'fisher-merge': networkEntry('fisher-merge', () => mergeKind),
    regmean: networkEntry('regmean', () => regmeanKind),
    dense: networkEntry('dense', () => denseKind),
  };
