import {
  type Conclusion,
  type ExperimentResult,
  paperStatement,
  type ResultSeries,
  type ResultTable,
} from '../paper-result.ts';
import { cell, meanCell, percentCell, reaches, series, shown, trialsText } from './cells.ts';
import { settingOf } from './plan.ts';
import {
  type Projected,
  type ProjectionFound,
  printedProjections,
  type SpectrumName,
  spectrumTexts,
} from './projected.ts';
import { rivalsDifference, rivalsTable } from './projection-rivals-tables.ts';
import { ridgeMatters } from './readings.ts';

export function projectionResult(projected: Projected): ExperimentResult {
  const { plan, begun, features, dimensions, found, bits } = projected;
  const mse = (name: SpectrumName, i: number) => meanCell(found[name].map(({ mses }) => mses[i]!));
  const above = (name: SpectrumName, i: number) =>
    meanCell(found[name].map(({ mses }) => mses[i]! / mses.at(-1)! - 1));
  const fifth = dimensions.indexOf(Math.max(1, Math.round(0.4 * features)));
  const m = dimensions[fifth]!;
  const advised = (name: SpectrumName) => meanCell(found[name].map((trial) => trial.advised));
  const recommendation = (name: SpectrumName) => {
    const columns = Math.round(advised(name));
    const share = columns / features;
    return share > 0.5
      ? `do not project: ${columns} of ${features} columns would be needed to keep 99 % of the variance, and a projection keeps about m/d of the signal`
      : `a projection to ${columns} of ${features} columns keeps 99 % of the variance and ${shown(1 / share ** 2, 2)} times fewer entries travel`;
  };
  const { sites, trainRows } = settingOf(plan);
  const rows = sites * trainRows;
  // A trial with no more rows than columns has no prediction.
  const wrong = (['flat', 'falling'] as const).map((name) =>
    dimensions.reduce((worst, _, i) => {
      const ratio = mse(name, i) / meanCell(found[name].map(({ foretold }) => foretold[i]!));
      return Number.isNaN(ratio) ? worst : Math.max(worst, ratio, 1 / ratio);
    }, 1),
  );
  return {
    id: '7',
    title: 'High dimensions by random projection',
    about: `d = ${features}, K = ${plan.sites}, nₖ = ${plan.rowsPerSite}, γ = ${plan.heterogeneity}, ${trialsText(found.flat.length)}${features >= 1000 ? ' (one, for its size)' : ''}; m from ${dimensions[0]} to ${features}, which is no projection. Features are projected by the study’s public seed, as in any study; sites reduce the largest m once, and smaller ones are parts of it. Once with the generator of §V-A, whose features vary alike, and once with standard deviations that fall like 1/j, scaled so that the response varies as much. Bytes are one client’s upload, encoded and signed.`,
    seconds: (performance.now() - begun) / 1000,
    tables: [
      tableOf('flat', projected),
      tableOf('falling', projected),
      rivalsTable('flat', projected),
      rivalsTable('falling', projected),
    ],
    figures: [
      {
        id: 'projection',
        title: 'Test MSE by projection dimension',
        kind: 'lines',
        x: { label: 'm' },
        y: { label: 'test MSE', log: true },
        series: curvesOf(projected),
      },
    ],
    differences: [
      ...(rows > features
        ? [
            `Without projection 0.0100 is printed; d = ${features} weights fitted to n = ${rows} rows have an MSE of about 0.01·(1 + d/(n − d)) = ${shown(0.01 * (1 + features / (rows - features)))}, and ${shown(mse('flat', dimensions.length - 1))} here.`,
          ]
        : []),
      `Printed: m = 0.4·d costs 5 % of MSE. With the features of §V-A it costs ${percentCell(above('flat', fifth))} (MSE ${shown(mse('flat', fifth))} at m = ${m}): all directions carry the signal alike, and a projection keeps about m/d of it.`,
      `Where the spectrum falls, m = ${m} costs ${percentCell(above('falling', fifth))} (MSE ${shown(mse('falling', fifth))}).`,
      `Bytes like for like at m = ${m}: one client uploads ${shown(projected.bytes[fifth]!.compact / 1e6)} MB compact (${shown(projected.bytes[fifth]!.exact / 1e6)} MB exact), FedAvg-200 ${shown(projected.fedAvgUp / 1e6)} MB. The printed column “vs Exact” is 10× at m = d, where it must be 1.`,
      rivalsDifference(projected),
      `Advice from the spectrum, features alike: ${recommendation('flat')}. Falling spectrum: ${recommendation('falling')}.`,
    ],
    conclusions: [
      ...statementsOf(projected, above),
      ...bits,
      {
        of: 'ours',
        claim: 'A projection is cheaper where the spectrum falls',
        holds: above('falling', fifth) < above('flat', fifth),
        because: `${percentCell(above('falling', fifth))} against ${percentCell(above('flat', fifth))} at m = ${m}`,
      },
      {
        of: 'ours',
        claim: 'The spectrum alone foretells the MSE of a projection to a factor of 2',
        holds: wrong.every((factor) => factor < 2),
        because: `a factor of ${shown(wrong[0]!)} at most with features alike, ${shown(wrong[1]!)} where it falls; it is an average over weights, and a trial has one`,
      },
    ],
  };
}

/** The paper's statements about Table VII, on features drawn as §V-A says. */
function statementsOf(
  { features, dimensions, bytes, fedAvgUp, found }: Projected,
  above: (name: SpectrumName, i: number) => number,
): Conclusion[] {
  const at = (share: number) => dimensions.indexOf(Math.max(1, Math.round(share * features)));
  const six = at(0.6);
  const mse = meanCell(found.flat.map(({ mses }) => mses[six]!));
  const averaged = meanCell(found.flat.map(({ fedAvg }) => fedAvg ?? Number.POSITIVE_INFINITY));
  const times = fedAvgUp / bytes[six]!.compact;
  const statement = (where: string, claim: string, holds: boolean, because: string) =>
    paperStatement({
      matter: ridgeMatters.projection,
      where,
      claim,
      readings: [{ as: 'features as §V-A draws them: all vary alike', holds, because }],
      because: `A projection keeps about m/d of the signal where all directions carry it alike. Where the features’ standard deviations fall like 1/j, which the text does not say, m = ${dimensions[at(0.4)]} costs ${percentCell(above('falling', at(0.4)))} and m = ${dimensions[at(0.1)]} ${percentCell(above('falling', at(0.1)))}; printed are 5 and 42 %.`,
    });
  const costs = (share: number) =>
    `${percentCell(above('flat', at(share)))} at m = ${dimensions[at(share)]}`;
  return [
    statement(
      'Remark 7',
      'if ∼5% MSE degradation is acceptable, use m ≈ 0.4d',
      reaches(0.05, above('flat', at(0.4))),
      costs(0.4),
    ),
    statement(
      '§V-H, Table VII',
      'At m = 100 (10% of original dimension), MSE increases by 42%',
      reaches(0.42, above('flat', at(0.1))),
      costs(0.1),
    ),
    statement(
      '§V-H',
      'With m ≤ 600, One-Shot with projection beats FedAvg in both accuracy and communication.',
      mse < averaged && times > 1,
      `at m = ${dimensions[six]} MSE ${shown(mse)} against ${shown(averaged)}; FedAvg uploads ${shown(times)} times as much, 8 bytes an entry`,
    ),
  ];
}

function curvesOf({ features, dimensions, found }: Projected): ResultSeries[] {
  const curve = (name: SpectrumName, value: (trial: ProjectionFound, i: number) => number) =>
    dimensions.map((_, i) =>
      found[name].map((trial) => value(trial, i)).filter((v) => !Number.isNaN(v)),
    );
  const mses = (name: SpectrumName) => curve(name, ({ mses: all }, i) => all[i]!);
  const foretold = (name: SpectrumName) => curve(name, ({ foretold: all }, i) => all[i]!);
  const printedPoints = Object.entries(printedProjections).map(([x, [y]]) => ({
    x: Number(x),
    y: Number(y),
  }));
  return [
    series('Foretold, features alike', 'oracle', dimensions, foretold('flat')),
    series('Foretold, falling spectrum', 'oracle', dimensions, foretold('falling')),
    series('Features alike (as stated)', 'exact', dimensions, mses('flat')),
    series('Falling spectrum', 'exact', dimensions, mses('falling')),
    ...(features === 1000
      ? [{ name: 'Printed', role: 'printed' as const, points: printedPoints }]
      : []),
  ];
}

function tableOf(name: SpectrumName, projected: Projected): ResultTable {
  const { features, dimensions, bytes, fedAvgUp, found } = projected;
  const trials = found[name];
  const stated = name === 'flat' && features === 1000;
  const print = (m: number, k: 0 | 1 | 2 | 3) => (stated ? printedProjections[m]?.[k] : undefined);
  const averaged = trials.flatMap(({ fedAvg }) => (fedAvg === undefined ? [] : [fedAvg]));
  const fedAvgCell = (values: readonly number[], text: string) =>
    values.length === 0
      ? { text: 'diverges: η = 0.01 is too long a step' }
      : cell(values, stated ? text : undefined);
  return {
    id: stated ? 'VII' : `VII-${name}`,
    title: `Random projection of d = ${features}: ${spectrumTexts[name]}`,
    of: 'm',
    columns: [
      { label: 'MSE' },
      { label: 'ΔMSE', form: 'percent' },
      { label: 'Foretold by the spectrum' },
      { label: 'Upload, exact', form: 'bytes' },
      { label: 'Upload, compact', form: 'bytes' },
      { label: 'FedAvg-200 / compact', form: 'ratio' },
    ],
    rows: [
      ...dimensions.map((m, i) => ({
        label: String(m),
        cells: [
          cell(
            trials.map(({ mses }) => mses[i]!),
            print(m, 0),
          ),
          cell(
            trials.map(({ mses }) => mses[i]! / mses.at(-1)! - 1),
            print(m, 1),
          ),
          cell(trials.map(({ foretold }) => foretold[i]!).filter((v) => !Number.isNaN(v))),
          cell([bytes[i]!.exact], print(m, 2)),
          cell([bytes[i]!.compact]),
          cell([fedAvgUp / bytes[i]!.compact], print(m, 3)),
        ],
      })),
      {
        label: 'FedAvg-200',
        cells: [
          fedAvgCell(averaged, '0.0103'),
          averaged.length === 0
            ? { text: '—' }
            : cell(
                trials.flatMap(({ fedAvg, mses }) =>
                  fedAvg === undefined ? [] : [fedAvg / mses.at(-1)! - 1],
                ),
                stated ? '+3 %' : undefined,
              ),
          { text: '—' },
          cell([fedAvgUp], stated ? '4.00 MB' : undefined),
          { text: '—' },
          { text: '—' },
        ],
      },
    ],
  };
}
