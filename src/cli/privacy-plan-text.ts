import { attackBound } from '../privacy/budget.ts';
import {
  type Forecast,
  type ForecastSetting,
  forecastFor,
  rowsForExcess,
} from '../privacy/forecast.ts';
import { type Mechanism, mechanismOf } from '../privacy/mechanism.ts';
import { type PlacementName, placementOf } from '../privacy/placement.ts';
import type { PrivacyTerms } from '../study/study.ts';
import { aboutExcess, excessText, grouped, significant } from '../text/number-text.ts';
import type { Ink } from '../text/text-table.ts';
import { textTable } from './terminal-text.ts';

/** A promise, what keeps it and what a fit under it will be worth. */
export interface PrivacyPlan {
  readonly terms: PrivacyTerms;
  readonly setting: Required<ForecastSetting>;
  readonly mechanism: Mechanism;
  readonly forecast: Forecast;
}

const usualEpsilons = [0.1, 0.5, 1, 2, 5, 10];
/** Beyond this ε little is promised. */
const WEAK_EPSILON = 5;

/** A plan for a statistician: the promise, its noise, the forecast, other promises and what would help. */
export function planText(plan: PrivacyPlan, ink: Ink): string {
  const sections = [
    ['Promise', promise(plan)],
    ['Noise', noise(plan)],
    ['Forecast', forecast(plan)],
    ['Other promises', others(plan)],
    ['What helps', remedies(plan)],
  ] as const;
  return sections
    .filter(([, lines]) => lines.length > 0)
    .map(([title, lines]) => `${ink.bold(title)}\n${lines.map((line) => `  ${line}\n`).join('')}`)
    .join('\n');
}

const adders: Readonly<Record<PlacementName, string>> = {
  central: 'once, to the total, by a coordinator whom the sites trust',
  local: 'by each site, which need trust nobody',
  aggregators:
    'twice, by the coordinator and by a helper that does not work with it: twice the variance of one noise, whatever the number of sites',
};

function promise({ terms, setting, mechanism }: PrivacyPlan): string[] {
  const { mu } = mechanism;
  const { epsilon, delta, releases = 1, rounds = 0 } = terms;
  const shared = [
    ...(releases > 1 ? [`${releases} releases`] : []),
    ...(rounds > 0 ? [`${rounds + 1} rounds`] : []),
  ].join(' of ');
  return [
    `(ε = ${epsilon}, δ = ${delta < 1e-3 ? delta.toExponential() : delta}) for ${unitText(terms)}.`,
    `Noise is added ${adders[terms.placement ?? 'central']}.`,
    `μ = ${significant(mu, 4)}: to tell the two cases apart is as hard as telling N(0, 1) from N(${significant(mu, 4)}, 1) by one draw.`,
    `No attack, whatever else it knows, tells them apart with an AUC above ${attackBound(mu).toFixed(3)} (a coin has 0.5).`,
    ...(shared === ''
      ? []
      : [`${shared} share this budget: the first takes μ = ${significant(mechanism.spent, 4)}.`]),
    ...(epsilon > WEAK_EPSILON
      ? [
          `Warning: ε above ${WEAK_EPSILON} is a weak promise; an attack may tell them apart with an AUC of up to ${attackBound(mu).toFixed(3)}.`,
        ]
      : []),
    ...(delta >= 1 / setting.rows
      ? [
          `Warning: δ is not below 1/rows = ${significant(1 / setting.rows, 2)}; publishing some row at random would keep this promise.`,
        ]
      : []),
  ];
}

function unitText({ unit, rowsPerPerson = 1, neighbours, protects }: PrivacyPlan['terms']): string {
  const whose = unit === 'row' ? 'one row' : `one person with at most ${rowsPerPerson} rows`;
  if (protects === 'labels') return `the response of ${whose}; all else counts as public`;
  return neighbours === 'replace-one'
    ? `${whose}, against any other in its place; the number of rows is public`
    : `${whose}, being there or not`;
}

/** The noise of the total beside what the total would be for uncorrelated columns of the stated scales. */
function noise({ terms, setting, mechanism }: PrivacyPlan): string[] {
  const { rows, columns, sites } = setting;
  const { sigma } = mechanism;
  const times = Math.sqrt(placementOf(terms).noises(sites));
  const deviation = (value: number) => (value === 0 ? 'exact' : significant(value * times, 3));
  const mean = rows / columns;
  const table = textTable([
    ['of the total, in rows scaled to length 1', 'about', 'noise SD'],
    ['a column with itself (n/d)', significant(mean, 3), deviation(sigma.gram)],
    [
      'two columns that do not correlate',
      `±${significant(Math.sqrt(rows) / columns, 2)}`,
      deviation(sigma.gram / Math.SQRT2),
    ],
    [
      'a column with the response, correlation 0.1',
      significant(0.1 * mean, 3),
      deviation(sigma.moment),
    ],
    ['the response with itself', significant(mean, 3), deviation(sigma.square)],
    ['number of rows', grouped(rows), deviation(sigma.count)],
  ]);
  if (sigma.gram === 0) return table;
  const edge = sigma.gram * times * Math.sqrt(2 * columns);
  return [
    ...table,
    `The noise in the Gram matrix has eigenvalues up to ${significant(edge, 3)}; those of the data average ${significant(mean, 3)}.`,
  ];
}

function forecast({ terms, setting, forecast: expected }: PrivacyPlan): string[] {
  const { verdict, expectedExcess } = expected;
  const { rounds = 0 } = terms;
  return [
    `${rounds > 0 ? 'One round with the whole budget: noise' : 'Noise'} adds an error of ${aboutExcess(expectedExcess)} of the variance that the columns explain`,
    '(1.5 times the formula for uncorrelated columns, as in simulations; correlated ones fare worse).',
    verdictText(verdict, terms),
    `For an error of 1 % it takes ${grouped(rowsForExcess(0.01, expected, setting.rows))} rows.`,
  ];
}

function verdictText(verdict: Forecast['verdict'], terms: PrivacyPlan['terms']): string {
  const { rounds = 0, protects } = terms;
  if (verdict === 'one-shot') return 'Verdict one-shot: one round is enough.';
  if (rounds > 0) {
    const hope = verdict === 'warn' ? 'mend most of it' : 'start from noise and may not mend it';
    return `Verdict ${verdict}: one round is not enough; further rounds ${hope}.`;
  }
  if (verdict === 'refuse') {
    return 'Verdict refuse: a fit would be mostly noise, and is refused unless forced.';
  }
  const rest = protects === 'labels' ? '' : ', and further rounds would mend most of it';
  return `Verdict warn: a fit will run and say so${rest}.`;
}

function others({ terms, setting }: PrivacyPlan): string[] {
  const { refinement: _, ...first } = terms;
  return textTable([
    ['ε', 'μ', 'expected error', 'rows for 1 %', 'verdict'],
    ...usualEpsilons.map((epsilon) => {
      const promised = { ...first, epsilon };
      const there = forecastFor(promised, setting);
      return [
        String(epsilon),
        significant(mechanismOf(promised, setting.columns).mu, 4),
        excessText(there.expectedExcess),
        grouped(rowsForExcess(0.01, there, setting.rows)),
        there.verdict,
      ];
    }),
  ]);
}

function remedies({ terms, setting, forecast: expected }: PrivacyPlan): string[] {
  if (expected.verdict === 'one-shot') return [];
  const { rounds = 0, protects, placement } = terms;
  const alternative = (text: string, other: Partial<PrivacyPlan['terms']>) => {
    const { expectedExcess, verdict } = forecastFor({ ...terms, ...other }, setting);
    const helps = verdict !== 'refuse' && expectedExcess < expected.expectedExcess;
    return helps ? [`${text}: ${excessText(expectedExcess)}.`] : [];
  };
  const columns = columnsFor(terms, setting);
  return [
    ...(placement === 'local'
      ? alternative('Noise twice, by a coordinator and a helper (--placement aggregators)', {
          placement: 'aggregators',
        })
      : []),
    ...alternative('Noise once, at a coordinator the sites trust (--placement central)', {
      placement: 'central',
    }),
    ...(rounds === 0 && protects !== 'labels'
      ? [
          `Four further rounds (--refinements 4), each of ${setting.columns} numbers: at 8,000 rows, 100 columns, ε = 1 they`,
          'took a cleaned fit from 4 % to 0.1 % in simulations; where columns nearly repeat each other they gain nothing.',
        ]
      : []),
    ...(protects === 'labels'
      ? []
      : alternative('If all but the response is public (--protects labels)', {
          protects: 'labels',
          rounds: 0,
        })),
    columns === 0
      ? 'Fewer columns: even one is too many for these rows and 5 %.'
      : `Fewer columns: these rows carry ${grouped(columns)} at 5 %.`,
    `More rows: ${grouped(rowsForExcess(0.05, expected, setting.rows))} for 5 %.`,
  ];
}

/** Most columns at which one round is enough: the forecast grows with them. */
function columnsFor(terms: PrivacyPlan['terms'], setting: PrivacyPlan['setting']): number {
  let enough = 0;
  let tooMany = setting.columns;
  while (tooMany - enough > 1) {
    const columns = Math.floor((enough + tooMany) / 2);
    if (forecastFor(terms, { ...setting, columns }).verdict === 'one-shot') enough = columns;
    else tooMany = columns;
  }
  return enough;
}
