import { type Ink, layOutBlocks } from '../../src/text/text-table.ts';
import type { Conclusion, ExperimentResult, PaperResult, ResultTable } from '../paper-result.ts';
import { measuredText, secondsText } from '../text/value-text.ts';
import { aboutRules, ownTallyText, placedClaim, tallyText, verdictWords } from './claim-text.ts';
import { experimentName } from './experiment-section.ts';
import { mattersOf } from './matters.ts';
import { tableName } from './result-table.ts';

/** A result as text for a terminal: every table with printed and measured values, and the conclusions. */
export function paperText(result: PaperResult, ink: Ink): string {
  const { title, experiments } = result;
  return [
    ink.bold(title),
    '',
    ...matterLines(result),
    ...ownLines(experiments),
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
    ...conclusions.flatMap((conclusion) => conclusionLines(conclusion, ink)),
  ];
}

function conclusionLines(conclusion: Conclusion, ink: Ink): string[] {
  const { of, holds, because } = conclusion;
  const claim = `${of}, ${placedClaim(conclusion)} ${ink.faint(`(${because})`)}`;
  if (conclusion.of === 'ours') return [`${holds ? '✓ holds' : '✗ does not hold'}: ${claim}`];
  const { sign, words } = verdictWords[conclusion.verdict];
  return [
    `${sign} ${words.charAt(0).toLowerCase()}${words.slice(1)}: ${claim}`,
    ...conclusion.readings.map(
      (reading) => `    ${reading.holds ? '✓' : '✗'} ${reading.as}: ${reading.because}`,
    ),
  ];
}

/** How many matters of the paper hold; those that depend on a reading or fail by name. */
function matterLines({ paper, experiments }: PaperResult): string[] {
  const rules = aboutRules[paper];
  if (rules === undefined) return [];
  const matters = mattersOf(experiments);
  const lines = (['depends', 'fails'] as const).flatMap((wanted) =>
    matters
      .filter(({ verdict }) => verdict === wanted)
      .map(
        ({ name, statements }) =>
          `  ${verdictWords[wanted].sign} ${name}: ${statements.map(({ where, claim }) => `“${claim}” (${where})`).join('; ')}`,
      ),
  );
  return [tallyText(matters), ...lines, ...(matters.length === 0 ? [] : [rules])];
}

function ownLines(experiments: readonly ExperimentResult[]): string[] {
  const claims = experiments.flatMap(({ conclusions }) =>
    conclusions.flatMap((one) => (one.of === 'ours' ? [one] : [])),
  );
  const failed = claims.filter(({ holds }) => !holds);
  return [ownTallyText(claims), ...failed.map(({ claim }) => `  ✗ ${claim}`)];
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
