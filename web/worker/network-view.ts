import { agreement } from '../../src/federate.ts';
import type { DrawnLayer } from '../../src/fusion/drawn-layers.ts';
import type { LoadedResult } from './loaded-result.ts';

/** A fused network, to be shown. */
export interface NetworkView {
  readonly layers: readonly DrawnLayer[];
  readonly weights: number;
  /** How it was fused. */
  readonly method: string;
  /** Why something else is usually better. */
  readonly notes: readonly string[];
  /** The next round of the study: how many are planned, and what it does. */
  readonly next?: { readonly planned: number; readonly text: string };
}

/** The network of a result; undefined where the study trains none. */
export function networkView({ resolution, agreed }: LoadedResult): NetworkView | undefined {
  const { network, text, rounds } = agreed.method;
  if (network === undefined) return undefined;
  const { report } = resolution;
  const layers = network.layers(report);
  const planned = rounds?.planned ?? 0;
  const next = planned > 0 ? rounds?.next(report) : undefined;
  return {
    layers,
    weights: layers.reduce((sum, { weights }) => sum + weights, 0),
    method: text.learnt,
    notes: text.notes ?? [],
    ...(next === undefined || 'problem' in next
      ? {}
      : { next: { planned, text: agreement(next).method.text.method } }),
  };
}
