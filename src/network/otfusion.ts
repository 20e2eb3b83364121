import { assignment } from './assignment.ts';
import { averageNetwork, weightSums } from './fuse-average.ts';
import type { NetworkPlan } from './network-plan.ts';
import { orderedSites, type SiteWeights } from './site-weights.ts';
import { columnsOfUnit, layerMatrix, moveColumns, weightLayers } from './unit-columns.ts';

/**
 * OTFusion (Singh & Jaggi 2020): the average after the hidden units of every site were put in the order of one site's, layer by
 * layer, by the distance of their incoming weights. With as many units everywhere and equal masses the transport is an
 * assignment. The site with most rows gives the order.
 */
export function otFusion(plan: NetworkPlan, sites: readonly SiteWeights[]): Float64Array {
  const kept = orderedSites(sites);
  const aligned = kept.map(({ rows, weights }) => ({
    rows,
    weights: alignUnits(plan, weights, kept[0].weights),
  }));
  return averageNetwork(weightSums(aligned));
}

/** The same network with its hidden units in the order that is nearest to those of another. */
export function alignUnits(
  plan: NetworkPlan,
  weights: Float64Array,
  other: Float64Array,
): Float64Array {
  const aligned = new Float64Array(weights.length);
  const layers = weightLayers(plan);
  let places: Int32Array | undefined;
  layers.forEach(({ weights: block, from }, at) => {
    const own = layerMatrix(weights, block);
    const { rows, columns, values } =
      places === undefined
        ? own
        : moveColumns(own, places, places.length, columnsOfUnit(block, from));
    const isLast = at === layers.length - 1;
    const order = isLast
      ? undefined
      : assignment(distances(values, layerMatrix(other, block).values, rows, columns), rows, rows);
    for (let u = 0; u < rows; u++) {
      const target = block.start + (order?.[u] ?? u) * columns;
      aligned.set(values.subarray(u * columns, (u + 1) * columns), target);
    }
    places = order;
  });
  return aligned;
}

/** Squared distances of all rows of one matrix to all rows of another. */
function distances(a: Float64Array, b: Float64Array, rows: number, columns: number): Float64Array {
  const squares = new Float64Array(rows * rows);
  for (let u = 0; u < rows; u++) {
    for (let v = 0; v < rows; v++) {
      let sum = 0;
      for (let k = 0; k < columns; k++) {
        const gap = a[u * columns + k] - b[v * columns + k];
        sum += gap * gap;
      }
      squares[u * rows + v] = sum;
    }
  }
  return squares;
}
