import type { Coverage } from '../between-sites/coverage.ts';
import type { TermHeterogeneity } from '../between-sites/heterogeneity.ts';
import { defined } from '../defined.ts';
import type { SiteEffects } from '../model/fit.ts';
import type { TermRow } from '../model/inference.ts';
import { grouped, pEquation, significant } from '../text/number-text.ts';
import { answerAbout, type ExportedModel } from './exported-model.ts';
import { figure, figures, htmlTable, paragraph, section } from './html-table.ts';
import { interval } from './report-figures.ts';
import { siteTable } from './report-tables.ts';
import { bars } from './svg/bars.ts';
import { forest } from './svg/forest.ts';
import { influenceDots } from './svg/influence-dots.ts';

const MOST_SITES = 30;
const MOST_PANELS = 12;

/** Everything about single sites: rows, agreement, influence, coverage, suspicious contributions. */
export function siteSections(model: ExportedModel, response: string): string[] {
  return [
    section('Sites', [
      ...figures([...rowsFigure(model), ...influenceFigure(model, response)]),
      siteTable(model.report.sites),
    ]),
    section('Site effects', siteEffects(model.report.siteEffects)),
    section(
      response === '' ? 'Do the sites agree?' : `Do the sites agree about ${response}?`,
      agreement(model, response),
    ),
    section(
      'Which site covers what',
      coverage(answerAbout(model, 'coverage', response || undefined)),
    ),
    section('Suspicious contributions', flags(model, response)),
  ].filter((text) => text !== '');
}

function rowsFigure({ report }: ExportedModel): string[] {
  const counted = report.sites.flatMap(({ name, n, dropped = 0 }) =>
    n === undefined ? [] : [{ name, n, dropped }],
  );
  const shown = counted.sort((a, b) => b.n - a.n).slice(0, MOST_SITES);
  if (shown.length === 0) return [];
  const title = 'Rows';
  const picture = bars({
    title,
    description: `Rows used from ${report.sites.length} sites, ${grouped(report.n)} in all.`,
    rows: shown.map(({ name, n, dropped }) => ({
      label: name,
      count: n,
      rest: dropped,
      restName: 'left out',
    })),
  });
  const explanation =
    report.sites.length > shown.length
      ? `the ${shown.length} largest of ${report.sites.length} sites`
      : 'used, and left out for a missing cell';
  return [figure(title, explanation, picture)];
}

function influenceFigure(model: ExportedModel, response: string): string[] {
  const influence = answerAbout(model, 'influence', response || undefined);
  if (influence === undefined || influence.sites.length === 0) return [];
  const size = (site: (typeof influence.sites)[number]) => Math.abs(site.largest?.change ?? 0);
  const shown = [...influence.sites].sort((a, b) => size(b) - size(a)).slice(0, MOST_SITES);
  const first = shown[0]!;
  const title = 'Influence of each site';
  const picture = influenceDots({
    title,
    description:
      first.largest === undefined
        ? 'The model without a site cannot be estimated.'
        : `${first.site} moves a coefficient most: ${first.largest.term} by ${significant(first.largest.change, 3)} standard errors.`,
    terms: influence.terms,
    rows: shown.map(({ site, changes, largest }) => ({
      label: site,
      changes,
      ...defined({ largest: largest?.term }),
    })),
  });
  const explanation = `a dot is a coefficient${response === '' ? '' : ` of ${response}`}; the one that moves most is named`;
  return [figure(title, explanation, picture)];
}

function siteEffects(effects: SiteEffects | undefined): string[] {
  if (effects === undefined) return [];
  const { kind, statistic, df, variance, icc, sites } = effects;
  const test = kind === 'fixed' ? 'F' : 'likelihood ratio';
  const freedom = effects['df.residual'] === undefined ? df : `${df} and ${effects['df.residual']}`;
  const title = 'Intercept of each site';
  const shown = sites.slice(0, MOST_SITES);
  return [
    paragraph(
      [
        `Sites have ${kind === 'fixed' ? 'an intercept each' : 'random intercepts'}: ${test} ${significant(statistic, 4)} on ${freedom} df, ${pEquation(effects['p.value'])}.`,
        ...(variance === undefined ? [] : [`Variance between sites ${significant(variance, 4)}.`]),
        ...(icc === undefined
          ? []
          : [`${(100 * icc).toFixed(1)} % of the variance lies between sites.`]),
      ].join(' '),
    ),
    ...figures([
      figure(
        title,
        kind === 'fixed' ? 'from the mean site' : 'best predictors',
        forest({
          title,
          description: `Departures of ${sites.length} sites from the mean.`,
          rows: shown.map((row) => ({
            label: row.site,
            estimate: row.estimate,
            ...interval(row.estimate, row['std.error']),
          })),
          reference: 0,
          axis: 'units of the response',
        }),
      ),
    ]),
  ];
}

function agreement(model: ExportedModel, response: string): string[] {
  const heterogeneity = answerAbout(model, 'heterogeneity', response || undefined);
  if (heterogeneity === undefined) return [];
  const { chow, cochran, terms, without } = heterogeneity;
  const listed = without.slice(0, MOST_PANELS);
  const panels = [...terms].sort((a, b) => b.I2 - a.I2).slice(0, MOST_PANELS);
  return [
    ...(chow === undefined
      ? []
      : [
          paragraph(
            `All coefficients equal at all sites (Chow): F ${significant(chow.statistic, 4)} on ${chow.df} and ${chow['df.residual']} df, ${pEquation(chow['p.value'])}.`,
          ),
        ]),
    ...(cochran === undefined
      ? []
      : [
          paragraph(
            `All coefficients equal at all sites (Cochran): Q ${significant(cochran.Q, 4)} on ${cochran.df} df, ${pEquation(cochran['p.value'])}.`,
          ),
        ]),
    ...(terms.length > panels.length
      ? [
          paragraph(
            `The ${panels.length} of ${terms.length} terms on which the sites differ most.`,
            'soft',
          ),
        ]
      : []),
    ...figures(
      panels.map((panel) => agreementPanel(panel, pooledRow(model, response, panel.term))),
    ),
    ...listed.map(({ site, reason }) =>
      paragraph(`${site} could not be fitted by itself: ${reason}.`, 'soft'),
    ),
    ...(without.length > listed.length
      ? [
          paragraph(
            `${without.length - listed.length} more sites could not be fitted either.`,
            'soft',
          ),
        ]
      : []),
  ];
}

/** The term's line in the report. */
function pooledRow({ report }: ExportedModel, response: string, term: string): TermRow | undefined {
  const own = report.responses?.find((one) => one.response === response);
  return (own?.terms ?? report.terms)?.find((row) => row.term === term);
}

function agreementPanel(
  { term, estimate, I2, sites, ...rest }: TermHeterogeneity,
  pooled: TermRow | undefined,
): string {
  const mostPrecise = [...sites]
    .sort((a, b) => a['std.error'] - b['std.error'])
    .slice(0, MOST_SITES);
  const explanation = [
    `I² ${I2.toFixed(0)} %`,
    pEquation(rest['p.value']),
    ...(mostPrecise.length < sites.length
      ? [`the ${mostPrecise.length} most precise of ${sites.length}`]
      : []),
  ].join(', ');
  const picture = forest({
    title: `${term} at each site`,
    description: `Estimates of ${term} at ${sites.length} sites around ${significant(estimate, 3)}; I² ${I2.toFixed(0)} %.`,
    rows: [
      ...mostPrecise.map((row) => ({
        label: row.site,
        estimate: row.estimate,
        ...interval(row.estimate, row['std.error']),
      })),
      {
        label: 'weighted mean of the sites',
        estimate,
        ...interval(estimate, rest['std.error']),
        summary: true,
      },
      ...(pooled?.['std.error'] === undefined
        ? []
        : [
            {
              label: 'the model, all rows',
              estimate: pooled.estimate,
              ...interval(pooled.estimate, pooled['std.error']),
              summary: true as const,
            },
          ]),
    ],
    reference: estimate,
    axis: 'estimate',
  });
  return figure(term, explanation, picture);
}

function coverage(answer: Coverage | undefined): string[] {
  if (answer === undefined) return [];
  const { alpha, alone, sites, uncovered, bound } = answer;
  const directions = alone.slice(0, MOST_PANELS).map(({ site, share, direction }) => {
    const named = direction.slice(0, 3).map(({ term, weight }) => `${term} (${weight.toFixed(2)})`);
    return `${(100 * share).toFixed(0)} % of what is known about ${named.join(', ')} comes from ${site} alone.`;
  });
  return [
    paragraph(
      `The least known direction has an information of α = ${significant(alpha, 3)} per row; an uncorrelated column has 1.`,
    ),
    ...directions.map((text) => paragraph(text)),
    ...(uncovered.length === 0
      ? []
      : [
          paragraph(
            `No site can separate these columns from the others: ${uncovered.join(', ')}.`,
            'notice',
          ),
        ]),
    ...(bound === undefined
      ? []
      : [
          paragraph(
            `With ${(100 * bound.confidence).toFixed(0)} % confidence, the slopes per SD are within ${bound.bias === 0 ? '' : `${significant(bound.bias, 3)}·‖b*‖ + `}${significant(bound.noise, 3)} of the true ones, b*.`,
          ),
        ]),
    htmlTable(
      'Coverage of the sites',
      [
        { title: 'Site', text: ({ site }) => site },
        { title: 'Rows', text: ({ n }) => grouped(n), kind: 'number' },
        { title: 'α by itself', text: (row) => significant(row.alpha, 3), kind: 'number' },
        { title: 'Directions covered', text: ({ rank }) => grouped(rank), kind: 'number' },
      ],
      sites,
    ),
  ];
}

function flags(model: ExportedModel, response: string): string[] {
  const sanity = answerAbout(model, 'sanity', response || undefined);
  if (sanity === undefined) return [];
  if (sanity.flags.length === 0) return [paragraph('No contribution looks wrong.')];
  return [
    paragraph('These contributions count all the same; ask the sites.', 'notice'),
    htmlTable(
      'Suspicious contributions',
      [
        { title: 'Site', text: ({ site }) => site },
        { title: 'Column', text: ({ column = '' }) => column },
        { title: 'Kind', text: ({ kind }) => kind },
        { title: 'Evidence', text: ({ evidence }) => evidence, kind: 'long' },
        { title: 'Ask', text: ({ advice }) => advice, kind: 'long' },
      ],
      sanity.flags,
    ),
  ];
}
