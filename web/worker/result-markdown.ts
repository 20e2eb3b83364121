import { methodTextOf, responsesOf } from '../../src/export/exported-model.ts';
import { fitText, summaryText } from '../../src/export/report-summary.ts';
import { pText } from '../../src/export/report-tables.ts';
import type { TermRow } from '../../src/model/inference.ts';
import { significant } from '../../src/text/number-text.ts';
import { exportedModel, type LoadedResult } from './loaded-result.ts';

const columns: readonly (readonly [string, (row: TermRow) => string])[] = [
  ['Estimate', ({ estimate }) => significant(estimate)],
  ['Std. error', (row) => shown(row['std.error'])],
  ['Statistic', (row) => shown(row.statistic, 4)],
  ['p', (row) => pText(row['p.value'])],
  ['2.5 %', (row) => shown(row['conf.low'])],
  ['97.5 %', (row) => shown(row['conf.high'])],
];

/** The result as Markdown: rounded numbers, and the digests that let a reader check it. */
export function resultMarkdown(result: LoadedResult): string {
  const { resolution } = result;
  const { study, report, number, resolvedAt, missing } = resolution;
  const model = exportedModel(result);
  const blocks = [
    `# ${escaped(study.name ?? report.formula)}`,
    `\`${report.formula}\` by ${methodTextOf(model)}. Resolution ${number} of ${resolvedAt}.`,
    ...(missing.length === 0 ? [] : [`Without ${missing.map(escaped).join(', ')}.`]),
    ...summaryText(model),
    ...responsesOf(report).flatMap((response) => [
      `## ${response.response === '' ? 'Coefficients' : `Coefficients of ${escaped(response.response)}`}`,
      table(response.terms),
      fitText(response, report).join(' '),
    ]),
    ...(report.aliased.length === 0
      ? []
      : [
          `Not defined, because they are combinations of other terms: ${report.aliased.map(escaped).join(', ')}.`,
        ]),
    `Total \`${report.digest}\`, signed by \`${resolution.seal.key}\`.`,
  ];
  return `${blocks.filter((block) => block !== '').join('\n\n')}\n`;
}

function table(rows: readonly TermRow[]): string {
  const filled = columns.filter(([, text]) => rows.some((row) => text(row) !== ''));
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [
    line(['Term', ...filled.map(([title]) => title)]),
    line(['---', ...filled.map(() => '---:')]),
    ...rows.map((row) => line([escaped(row.term), ...filled.map(([, text]) => text(row))])),
  ].join('\n');
}

function shown(value: number | undefined, digits = 5): string {
  return value === undefined ? '' : significant(value, digits);
}

function escaped(text: string): string {
  return text.replaceAll(/[\\|*_`<>[\]]/g, '\\$&');
}
