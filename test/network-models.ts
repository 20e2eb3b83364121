import type { ExportedModel } from '../src/export/exported-model.ts';
import { createDesign, type Design } from '../src/features/design.ts';
import { networkAnswers } from '../src/features/network-answers.ts';
import { networkInputs } from '../src/features/network-inputs.ts';
import { createNetworkReport } from '../src/model/network-report.ts';
import type { Network } from '../src/network/network.ts';
import { type NetworkPlan, planNetwork } from '../src/network/network-plan.ts';
import { outputsOf } from '../src/network/outputs.ts';
import { parseFormula } from '../src/study/formula.ts';
import type { Study } from '../src/study/study.ts';
import { tableStudy } from '../src/study/table-study.ts';
import { drawnWeights } from './drawn-network.ts';
import { sampleTable } from './export-models.ts';
import { everyRow, studyOf, type Table } from './tables.ts';

/** A network with random weights, its report, and rows it is asked about. */
export interface NetworkModel extends ExportedModel {
  readonly table: Table;
  readonly design: Design;
  readonly network: Network;
  readonly plan: NetworkPlan;
  readonly weights: Float32Array;
}

/** The report of a network with random weights, as if a study had fused it. */
export function networkModel(of: Study, table: Table, network: Network, seed = 1): NetworkModel {
  const study: Study = { ...of, fusion: { kind: 'network-average', network } };
  const { formula, codebook, image } = tableStudy(study);
  const plain = createDesign(parseFormula(formula), codebook, { coding: 'one-hot' });
  const design = image === undefined ? plain : { ...plain, image };
  const { shape } = networkInputs(design, network);
  const plan = planNetwork(network, shape, networkAnswers(design).outputs);
  const weights = drawnWeights(plan, seed);
  const report = createNetworkReport(
    { network, design, weights, rows: table.rows },
    {
      ...{ formula, sites: [], digest: `sha256:${'0'.repeat(64)}` },
      ...{ arithmetic: 'exact', grid: 44 },
    },
  );
  return { study, report, table, design, network, plan, weights };
}

/** The same for a formula over the sample table. */
export function tableNetwork(formula: string, network: Network): NetworkModel {
  return networkModel(studyOf(sampleTable, formula), sampleTable, network);
}

/** The columns of the design over the rows. */
export function valuesOf({
  table,
  design,
}: Pick<NetworkModel, 'table' | 'design'>): Float64Array[] {
  const hi = design.columns.map(() => new Float64Array(table.rows));
  const columns = design.variables.map((name) => table.cells[name]);
  const noLow = hi.map(() => undefined);
  design.evaluate({ rows: table.rows, columns }, { file: '', rowOf: (r) => r }, hi, noLow);
  return hi;
}

/** What the network itself says, an array an output: scores, or responses in their public units. */
export function ownOutputs(model: NetworkModel): Float64Array[] {
  const { table, design, network, plan, weights } = model;
  const { fill, scaled } = networkInputs(design, network);
  const values = valuesOf(model);
  const given = scaled(values);
  const outputs = outputsOf(plan, weights, {
    rows: table.rows,
    fill: (target, at, row) => fill(given, row, target, at),
    answers: networkAnswers(design).read(values, table.rows),
  });
  return Array.from({ length: plan.outputs }, (_, k) =>
    Float64Array.from(everyRow(table), (r) => outputs[r * plan.outputs + k]),
  );
}
