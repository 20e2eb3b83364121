import type { Ink } from '../../src/model/text-table.ts';
import { layOutBlocks } from '../../src/model/wide-table-text.ts';
import type { Conclusion, ExperimentResult, PaperResult, ResultTable } from '../paper-result.ts';
import { placedClaim, tallyWords } from './claim-words.ts';
import { experimentName } from './experiment-section.ts';
import { tableName } from './result-table.ts';
import { durationText, measuredText } from './value-text.ts';

/** What a terminal shows of a result: every table, printed beside measured, and what follows from it. */
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
    `${ink.bold(experimentName(result))}  ${ink.faint(durationText(seconds))}`,
    about,
    ...tables.flatMap((table) => ['', tableName(table), ...tableLines(table, ink)]),
    ...(differences.length === 0 ? [] : ['', ...differences.map((text) => `differs: ${text}`)]),
    '',
    ...conclusions.map((conclusion) => {
      const { of, holds, because } = conclusion;
      const told = `${of}, ${placedClaim(conclusion)} ${ink.faint(`(${because})`)}`;
      return `${holds ? '✓ holds' : '✗ does not hold'}: ${told}`;
    }),
  ];
}

/** How many of someone's claims hold, and which do not. */
function tallyLines(experiments: readonly ExperimentResult[], of: Conclusion['of']): string[] {
  const claims = experiments.flatMap(({ conclusions }) =>
    conclusions.filter((one) => one.of === of),
  );
  const failed = claims.filter(({ holds }) => !holds);
  return [tallyWords(of, claims), ...failed.map((one) => `  ✗ ${placedClaim(one)}`)];
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
