import type { NetworkPlan, PlannedLayer, ValueShape } from './network-plan.ts';

/** A layer that has weights. */
export type WeightLayer = Extract<PlannedLayer, { kind: 'dense' | 'convolution' }>;

/** A convolution of a plan. */
export type PlannedConvolution = Extract<PlannedLayer, { kind: 'convolution' }>;

/**
 * A layer with weights and all that follows up to the next one. Of ReLUs and pools any order gives the same values: a positive part,
 * or none, and one pool whose side is the product of theirs.
 */
export interface Stage {
  /** Absent before the first layer with weights, if something stands there. */
  readonly layer: WeightLayer | undefined;
  readonly from: ValueShape;
  /** The form between the layer and what follows. */
  readonly inner: ValueShape;
  readonly to: ValueShape;
  readonly relu: boolean;
  /** Side of the pool; 1 if there is none. */
  readonly pool: number;
}

/** The stages of a network; the last one is a layer alone. */
export function stagesOf(plan: NetworkPlan): readonly Stage[] {
  const stages: Stage[] = [];
  for (const layer of plan.layers) {
    const { from, to } = layer;
    if (layer.kind === 'dense' || layer.kind === 'convolution') {
      stages.push({ layer, from, inner: to, to, relu: false, pool: 1 });
      continue;
    }
    const last = stages.pop() ?? {
      ...{ layer: undefined, from, inner: from, to: from, relu: false, pool: 1 },
    };
    if (layer.kind === 'relu') stages.push({ ...last, relu: true });
    else stages.push({ ...last, to, pool: last.pool * layer.size });
  }
  return stages;
}
