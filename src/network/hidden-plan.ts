import type { Network } from './network.ts';
import { type NetworkPlan, planNetwork, type ValueShape, valueCount } from './network-plan.ts';

/** The plan of a network without its last layer: its outputs are the values that the last layer weighs. */
export function hiddenPlan(network: Network, input: ValueShape): NetworkPlan {
  const { layers, blocks } = planNetwork(network, input, 1);
  return {
    input,
    layers: layers.slice(0, -1),
    blocks: blocks.slice(0, -1),
    weights: blocks[blocks.length - 1].start,
    outputs: valueCount(layers[layers.length - 1].from),
  };
}
