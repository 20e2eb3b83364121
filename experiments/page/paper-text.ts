import { type Ink, layOutBlocks } from '../../src/text/text-table.ts';
import type { Conclusion, ExperimentResult, PaperResult, ResultTable } from '../paper-result.ts';
import { measuredText, secondsText } from '../text/value-text.ts';
import { placedClaim, tallyText } from './claim-text.ts';
import { experimentName } from './experiment-section.ts';
import { tableName } from './result-table.ts';

/** A result as text for a terminal: every table with printed and measured values, and the conclusions. */
export function paperText({ title, experiments }: PaperResult, ink: Ink): string {
  return [
    ink.bold(title),
    '',
    ...(['paper', 'ours'] as const).flatMap((of) => tallyLines(experiments, of)),
    ...experiments.flatMap((one) => ['', ...experimentLines(one, ink)]),
  ].join('\n');
}

function experimentLines(result: ExperimentResult, ink: Ink): string[] {
  const { about, tables, differences, conclusions, seconds } = result;
  return [
    `${ink.bold(experimentName(result))}  ${ink.faint(secondsText(seconds))}`,
    about,
    ...tables.flatMap((table) => ['', tableName(table), ...tableLines(table, ink)]),
    ...(differences.length === 0 ? [] : ['', ...differences.map((text) => `differs: ${text}`)]),
    '',
    ...conclusions.map((conclusion) => {
      const { of, holds, because } = conclusion;
      const claim = `${of}, ${placedClaim(conclusion)} ${ink.faint(`(${because})`)}`;
      return `${holds ? '✓ holds' : '✗ does not hold'}: ${claim}`;
    }),
  ];
}

/** How many claims of the paper, or of ours, hold, and which do not. */
function tallyLines(experiments: readonly ExperimentResult[], of: Conclusion['of']): string[] {
  const claims = experiments.flatMap(({ conclusions }) =>
    conclusions.filter((one) => one.of === of),
  );
  const failed = claims.filter(({ holds }) => !holds);
  return [tallyText(of, claims), ...failed.map((one) => `  ✗ ${placedClaim(one)}`)];
}

/** Label of a line of printed values. */
const PAPER = '  paper';

/** A row of measured values, with the printed values below it if there are any. */
function tableLines({ of, columns, rows }: ResultTable, ink: Ink): string[] {
  const lines = rows.flatMap(({ label, cells }) => {
    const measured = columns.map(({ form }, k) => measuredText(cells[k] ?? {}, form) || '–');
    const printed = columns.map((_, k) => cells[k]?.printed ?? '');
    return [
      [label, ...measured],
      ...(printed.every((text) => text === '') ? [] : [[PAPER, ...printed]]),
    ];
  });
  const titles = [of, ...columns.map(({ label }) => label)];
  const laidOut = layOutBlocks(
    titles.map((title, k) => [title, ...lines.map((line) => line[k]!)]),
    ink,
  );
  return laidOut.filter((line) => line !== PAPER); // a block of columns without printed values
}
