import { createEngine } from '../network/engine.ts';
import type { Network } from '../network/network.ts';
import { planNetwork, valueCount } from '../network/network-plan.ts';
import type { RowMapper } from './map-design.ts';
import type { NetworkInputs } from './network-inputs.ts';

/** Rows of one pass. */
const PASS = 64;

/** Runs rows through a network up to what its last layer takes; `weights` are those of the other layers. */
export function networkMapper(
  network: Network,
  weights: Float32Array,
  { fill, shape }: Pick<NetworkInputs, 'fill' | 'shape'>,
): RowMapper {
  // The engine ends with a layer with weights: one output that nobody asks for.
  const plan = planNetwork(network, shape, 1);
  const last = plan.blocks.length - 1;
  const engine = createEngine(plan, PASS);
  const all = new Float32Array(plan.weights);
  all.set(weights);
  engine.load(all);
  const values = valueCount(shape);
  return (columns, rows, target) => {
    for (let first = 0; first < rows; first += PASS) {
      const count = Math.min(PASS, rows - first);
      const inputs = engine.inputs();
      for (let r = 0; r < count; r++) fill(columns, first + r, inputs, r * values);
      engine.forward(count);
      const made = engine.activations(last);
      const width = made.length / count;
      for (let j = 0; j < width; j++) {
        for (let r = 0; r < count; r++) target[j][first + r] = made[r * width + j];
      }
    }
  };
}
