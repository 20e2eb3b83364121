import type { Membership } from '../../attack/membership-attack.ts';
import { ENOUGH_ROWS, type SmallCells } from '../../attack/small-cells.ts';
import { listed } from '../../model/list-text.ts';
import { grouped } from '../../model/number-text.ts';
import type { Ink } from '../../model/text-table.ts';
import { attackBound } from '../../privacy/budget.ts';
import { muOf } from '../../privacy/calibration.ts';
import type { Attacked } from '../attack.ts';

const WIDTH = 96;
/** An attack right this often is sure enough to name. */
const TELLING = 0.75;
/** The promise a private study would usually make. */
const promise = { epsilon: 1, delta: 1e-5 } as const;

/** What the attacks found, for whoever answers for the file. Row numbers and counts only. */
export function attackText(path: string, attacked: Attacked, ink: Ink): string {
  const { rows, columns, formula, leftOut, dropped, unread } = attacked;
  const lost = [
    ...(dropped > 0 ? [`${counted(dropped, 'row')} with missing cells left out`] : []),
    ...(unread > 0 ? [`the last ${counted(unread, 'row')} not looked at`] : []),
    ...(leftOut.length > 0
      ? [`left out, since no study could use them as they are: ${listed(leftOut)}`]
      : []),
  ];
  return [
    ink.bold(`What a plain statistic of ${path} would give away`),
    ...paragraph(
      `${counted(rows, 'row')}, ${counted(columns, 'column')} with the constant, as asked by "${formula}"${lost.map((text) => `; ${text}`).join('')}. The attacker holds the statistic, sums of products of columns, and the public codebook; no row. What was found is compared with your file here, and nothing leaves this machine.`,
    ),
    '',
    ...section('1  Rows from sums', recoveryWords(attacked), stops.rows, ink),
    ...section('2  Small groups', smallCellWords(attacked), stops.cells, ink),
    ...section('3  Is this person in your data?', membershipWords(attacked), stops.member, ink),
    ...section('4  Two releases', differencingWords(attacked), stops.difference, ink),
    ...section('What would stop it', auditWords(attacked), noiseWords(), ink),
    ink.bold('Verdict'),
    ...paragraph(verdict(attacked)),
    '',
  ].join('\n');
}

const stops = {
  rows: 'Rules R0, R1, R2 and R8 stop this: many more rows than columns, and no small table of whole numbers.',
  cells: 'Rules R3, R4 and R5 stop this: every level and every cell holds no row or several.',
  member:
    'Rules R1, R2 and R6 stop the sure cases: few columns for the rows, and no row that stands out. The rest only noise can bound.',
  difference:
    'Rule R9 stops this: the ledger of a site refuses a release that differs from an earlier one by a few rows.',
} as const;

function section(title: string, words: string, remedy: string, ink: Ink): string[] {
  const faint = paragraph(remedy).map((line) => ink.faint(line));
  return [ink.bold(title), ...paragraph(words), ...faint, ''];
}

function recoveryWords({ rows, columns, recovery }: Attacked): string {
  const { bits, found, inFile, standingOut, unique, seconds, hidden } = recovery;
  if (rows === 1) return 'The statistic of one row is that row, in every cell.';
  if (hidden !== undefined) return `No row was put together from the sums: ${hidden}.`;
  const over = bits === columns - 1 ? 'all columns' : `${counted(bits, 'column')} of two values`;
  if (standingOut === 0) {
    return `Over ${over} the sums tell how many rows are alike, and nobody is alike to fewer than ${ENOUGH_ROWS - 1} others: a table, and no person in it.`;
  }
  const sure = unique
    ? 'No other rows have these sums, so the attacker knows that they are right.'
    : 'Other rows could have these sums; the attacker had to guess.';
  return `${counted(found, 'row')} put together over ${over} in ${seconds.toFixed(2)} s; ${inFile} of your ${rows} are among them, cell by cell, ${standingOut} with fewer than ${ENOUGH_ROWS - 1} others like them. ${sure}`;
}

function smallCellWords({ smallCells, numbers }: Attacked): string {
  const { columns, levels, tables, cells, pairs } = smallCells;
  if (columns === 0) return 'No column sorts the rows into groups, so there is no table to read.';
  const worst = pairs.slice(0, 3).map((pair) => `${pair.columns.join(' × ')} (${pair.cells})`);
  const most = pairs.length > 3 ? `, most in ${worst.join(', ')}` : `: ${worst.join(', ')}`;
  const where = cells === 0 ? '' : `, in ${counted(pairs.length, 'table')}${most}`;
  const read =
    tables === 0 ? '' : `, and the tables of every two can be read off: ${grouped(tables)}`;
  return `Columns that sort the rows into groups: ${columns}${read}. Groups of one to four rows: ${grouped(levels)}. Cells of one to four rows: ${grouped(cells)}${where}. ${aloneWords(smallCells, numbers)}`;
}

function aloneWords({ alone }: SmallCells, numbers: number): string {
  if (alone === 0) return 'No group is a single row.';
  const told = numbers === 0 ? '' : `, ${counted(numbers, 'number')} among them`;
  return `Groups of a single row: ${alone}. All cells of such a row are told${told}.`;
}

function membershipWords({ membership }: Attacked): string {
  if (membership === undefined) return 'The cells of the file make no other row to compare with.';
  const { by, members, others, auc, halvings = 1 } = membership;
  const ways = halvings === 1 ? '' : `, in ${halvings} ways to halve them`;
  const against =
    by === 'leverage'
      ? `The attacker has the statistic of one half of your rows${ways}, and is shown a row of that half (${grouped(members)}) beside one of the other (${grouped(others)})`
      : `Rows of the file are ${distances(membership)}. The attacker is shown one of ${grouped(members)} rows of the file beside one of ${grouped(others)} that are not in it`;
  return `${against}: right about which is which ${ofHundred(auc)}. Guessing is right in 50.`;
}

function distances({ farthestMember = 0, nearestOther = 0 }: Membership): string {
  return `at most ${farthestMember.toExponential(0)} away from what the statistic spans, other rows at least ${nearestOther.toPrecision(2)}`;
}

function differencingWords({ differencing }: Attacked): string {
  const { rows, cellsPerRow, exact } = differencing;
  const which = `${rows.length === 1 ? 'row' : 'rows'} ${listed(rows.map(grouped))} of the file`;
  return `The statistic of all rows, less that of all but one, is the one row. Left out in turn: ${which}. ${grouped(exact)} of ${grouped(cellsPerRow * rows.length)} cells came out exactly, ${cellsPerRow} a row.`;
}

function auditWords({ audit }: Attacked): string {
  const named = (outcome: 'block' | 'warn') =>
    audit.rules
      .filter((rule) => rule.outcome === outcome)
      .map(({ rule, title }) => `${rule} (${title})`);
  const refused = named('block');
  const warned = named('warn');
  if (refused.length > 0) {
    return `Under the rules a site has by default this statistic is not sent: refused by ${refused.join(', ')}.`;
  }
  const asked = warned.length === 0 ? '' : ` once somebody has acknowledged ${warned.join(', ')}`;
  return `The rules a site has by default would let this statistic go${asked}: no known cheap attack, which is no guarantee. From then on R9 watches the ledger.`;
}

function verdict({ rows, recovery, smallCells, membership, audit }: Attacked): string {
  const outright = Math.min(recovery.standingOut, recovery.inFile);
  const given = [
    ...(outright > 0 ? [`${grouped(outright)} of ${grouped(rows)} rows outright`] : []),
    ...(smallCells.alone > 0 ? [`${counted(smallCells.alone, 'group')} of a single row`] : []),
    ...(smallCells.cells > 0 ? [counted(smallCells.cells, 'small cell')] : []),
    ...(membership !== undefined && membership.auc >= TELLING ? ['who is in it'] : []),
  ];
  const away = given.length === 0 ? 'no row by itself' : given.join(', ');
  const advice =
    audit.outcome === 'refuse'
      ? 'Do not send it in plain.'
      : 'Send it once: a second release that differs by a row gives that row away.';
  return `A plain statistic of this file gives away ${away}. ${advice}`;
}

function noiseWords(): string {
  const most = ofHundred(attackBound(muOf(promise)));
  return `Noise bounds every attack, known or not: in a private study with ε = ${promise.epsilon} and δ = 1/100,000 somebody who has all rows but one, and the statistic, is right about the last ${most} at most.`;
}

function paragraph(text: string): string[] {
  const lines: string[] = [];
  let line = ' ';
  for (const word of text.split(' ')) {
    if (line.length + 1 + word.length > WIDTH && line !== ' ') {
      lines.push(line);
      line = ' ';
    }
    line += ` ${word}`;
  }
  return [...lines, line];
}

function counted(count: number, noun: string): string {
  return `${grouped(count)} ${noun}${count === 1 ? '' : 's'}`;
}

function ofHundred(share: number): string {
  return `in ${(100 * share).toFixed(1)} of 100 cases`;
}
