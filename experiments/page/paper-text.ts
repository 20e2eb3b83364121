import type { Ink } from '../../src/model/text-table.ts';
import { layOutBlocks } from '../../src/model/wide-table-text.ts';
import type { ExperimentResult, PaperResult, ResultTable } from '../paper-result.ts';
import { experimentName } from './experiment-section.ts';
import { tableName } from './result-table.ts';
import { durationText, measuredText } from './value-text.ts';

/** What a terminal shows of a result: every table, printed beside measured, and what follows from it. */
export function paperText({ title, experiments }: PaperResult, ink: Ink): string {
  return [
    ink.bold(title),
    ...experiments.flatMap((one) => ['', ...experimentLines(one, ink)]),
  ].join('\n');
}

function experimentLines(result: ExperimentResult, ink: Ink): string[] {
  const { about, tables, differences, conclusions, seconds } = result;
  return [
    `${ink.bold(experimentName(result))}  ${ink.faint(durationText(seconds))}`,
    about,
    ...tables.flatMap((table) => ['', tableName(table), ...tableLines(table, ink)]),
    ...(differences.length === 0 ? [] : ['', ...differences.map((text) => `differs: ${text}`)]),
    '',
    ...conclusions.map(
      ({ claim, holds, because }) =>
        `${holds ? '✓ holds' : '✗ does not hold'}: ${claim} ${ink.faint(`(${because})`)}`,
    ),
  ];
}

/** The name of a line of printed values. */
const PAPER = '  paper';

/** A row of what was measured; below it, where there is one, what the paper prints. */
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
