import type { Membership } from '../attack/membership-attack.ts';
import { ENOUGH_ROWS, type SmallCells } from '../attack/small-cells.ts';
import type { Attacked } from '../node/run/attack.ts';
import { guessBound } from '../privacy/budget.ts';
import { muOf } from '../privacy/calibration.ts';
import { grouped, listed } from '../text/number-text.ts';
import type { Ink } from '../text/text-table.ts';
import { defences, stopText } from './attack-stops.ts';

const WIDTH = 96;
/** An attack right this often is sure enough to name. */
const TELLING = 0.75;
/** The promise a private study would usually make. */
const promise = { epsilon: 1, delta: 1e-5 } as const;

/** What the attacks found, for the person responsible for the file. Row numbers and counts only. */
export function attackText(path: string, attacked: Attacked, ink: Ink): string {
  const { rows, columns, formula, leftOut, dropped, unread } = attacked;
  const lost = [
    ...(dropped > 0 ? [`${counted(dropped, 'row')} with missing cells left out`] : []),
    ...(unread > 0 ? [`the last ${counted(unread, 'row')} not looked at`] : []),
    ...(leftOut.length > 0
      ? [`left out: ${listed(leftOut.map(({ column, reason }) => `${column} (${reason})`))}`]
      : []),
  ];
  return [
    ink.bold(`What a plain statistic of ${path} would give away`),
    ...paragraph(
      `${counted(rows, 'row')}, ${counted(columns, 'column')} with the constant, as asked by "${formula}"${lost.map((text) => `; ${text}`).join('')}. The attacker holds the statistic, sums of products of columns, and the public codebook; no row. What was found is compared with your file here, and nothing leaves this machine.`,
    ),
    '',
    ...section('1  Rows from sums', recoveryText(attacked), rowStops(attacked), ink),
    ...section('2  Small groups', smallCellText(attacked), cellStops(attacked), ink),
    ...section(
      '3  Is this person in your data?',
      membershipText(attacked),
      memberStops(attacked),
      ink,
    ),
    ...section('4  Two releases', differencingText(attacked), secondRelease, ink),
    ...section('What would stop it', auditText(attacked), noiseText(), ink),
    ink.bold('Verdict'),
    ...paragraph(verdict(attacked)),
    '',
  ].join('\n');
}

const secondRelease =
  'Rule R9 is there for this: once one of the two is in the ledger of a site, it refuses the other where they differ by a few rows.';

/** Rows that are people and not a table, as far as the attack found any. */
function rowStops(attacked: Attacked): string {
  return stopText(attacked, defences.rows, attacked.recovery.standingOut);
}

function cellStops(attacked: Attacked): string {
  const { levels, cells } = attacked.smallCells;
  return stopText(attacked, defences.cells, levels + cells);
}

function memberStops(attacked: Attacked): string {
  const telling = attacked.membership !== undefined && attacked.membership.auc >= TELLING ? 1 : 0;
  const stops = stopText(attacked, defences.member, telling);
  return stops === ''
    ? 'Only noise can bound this.'
    : `${stops} What is left, only noise can bound.`;
}

function section(title: string, text: string, remedy: string, ink: Ink): string[] {
  const faint = remedy === '' ? [] : paragraph(remedy).map((line) => ink.faint(line));
  return [ink.bold(title), ...paragraph(text), ...faint, ''];
}

function recoveryText(attacked: Attacked): string {
  const { rows, recovery } = attacked;
  const { found, inFile, standingOut, unique, seconds, hidden } = recovery;
  if (rows === 1) return 'The statistic of one row is that row, in every cell.';
  if (hidden !== undefined) return `No row was put together from the sums: ${hidden}.`;
  const over = knownColumns(attacked) ?? 'all columns';
  if (!unique) {
    return `Several sets of rows have these sums over ${over}; ${guessText(attacked)}.`;
  }
  if (standingOut === 0) {
    return `Over ${over} the sums show how many rows are alike. Every row has at least ${ENOUGH_ROWS - 1} others like it: the attack finds a table, and no single person.`;
  }
  return `${counted(found, 'row')} put together over ${over} in ${seconds.toFixed(2)} s; ${inFile} of your ${rows} are among them, cell by cell, ${standingOut} with fewer than ${ENOUGH_ROWS - 1} others like them. No other rows have these sums, so the attacker knows that they are right.`;
}

/** What somebody who picks one of several sets of rows gets right. */
function guessText({ rows, recovery: { inFile, byChance = 0 } }: Attacked): string {
  return `a guess that fits ${grouped(inFile)} of ${grouped(rows)} rows, where chance alone would fit about ${grouped(Math.round(byChance))}`;
}

/** "2 of 4 columns" where rows come without some of their cells. */
function knownColumns({ rows, smallCells, differencing }: Attacked): string | undefined {
  const known = smallCells.columns;
  const all = differencing.cellsPerRow;
  return rows === 1 || known === all ? undefined : `${known} of ${counted(all, 'column')}`;
}

function smallCellText({ smallCells, numbers }: Attacked): string {
  const { columns, levels, tables, cells, pairs } = smallCells;
  if (columns === 0) return 'No column sorts the rows into groups, so there is no table to read.';
  const worst = pairs.slice(0, 3).map((pair) => `${pair.columns.join(' × ')} (${pair.cells})`);
  const most = pairs.length > 3 ? `, most in ${worst.join(', ')}` : `: ${worst.join(', ')}`;
  const where = cells === 0 ? '' : `, in ${counted(pairs.length, 'table')}${most}`;
  const read =
    tables === 0 ? '' : `, and the tables of every two can be read off: ${grouped(tables)}`;
  return `Columns that sort the rows into groups: ${columns}${read}. Groups of one to four rows: ${grouped(levels)}. Cells of one to four rows: ${grouped(cells)}${where}. ${aloneText(smallCells, numbers)}`;
}

function aloneText({ alone }: SmallCells, numbers: number): string {
  if (alone === 0) return 'No group is a single row.';
  const ofThem = numbers === 0 ? '' : `, ${counted(numbers, 'number')} among them`;
  return `Groups of a single row: ${alone}. The statistic shows all cells of such a row${ofThem}.`;
}

function membershipText({ membership }: Attacked): string {
  if (membership === undefined) return 'The cells of the file make no other row to compare with.';
  const { by, members, others, auc, halvings = 1 } = membership;
  if (by === 'distance' && membership.farthestMember === 0 && auc === 0.5) {
    return 'All rows, those of the file and others made of its cells, lie within rounding of what the statistic spans: the attack cannot distinguish them.';
  }
  const ways = halvings === 1 ? '' : `, in ${halvings} ways to halve them`;
  const against =
    by === 'leverage'
      ? `The attacker has the statistic of one half of your rows${ways}, and is shown a row of that half (${grouped(members)}) beside one of the other (${grouped(others)})`
      : `${distances(membership)} The attacker is shown one of ${grouped(members)} rows of the file beside one of ${grouped(others)} that are not in it`;
  return `${against}: right about which is which in ${ofHundred(auc)}. Guessing is right in 50.`;
}

function distances({ farthestMember = 0, nearestOther = 0 }: Membership): string {
  const own =
    farthestMember === 0 ? 'within rounding of' : `at most ${farthestMember.toExponential(0)} from`;
  const other =
    nearestOther === 0
      ? 'so are some other rows, though not all'
      : `other rows are at least ${nearestOther.toPrecision(2)} away`;
  return `Rows of the file are ${own} what the statistic spans; ${other}.`;
}

function differencingText({ differencing }: Attacked): string {
  const { rows, cellsPerRow, exact } = differencing;
  const which = `${rows.length === 1 ? 'row' : 'rows'} ${listed(rows.map(grouped))} of the file`;
  return `The statistic of all rows, less that of all but one, is the one row. Left out in turn: ${which}. ${grouped(exact)} of ${grouped(cellsPerRow * rows.length)} cells came out exactly, ${cellsPerRow} a row.`;
}

function auditText({ audit }: Attacked): string {
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

function verdict(attacked: Attacked): string {
  const { smallCells, membership, audit } = attacked;
  const given = [
    ...rowsGiven(attacked),
    ...(smallCells.alone > 0 ? [`${counted(smallCells.alone, 'group')} of a single row`] : []),
    ...(smallCells.cells > 0 ? [counted(smallCells.cells, 'small cell')] : []),
    ...(membership !== undefined && membership.auc >= TELLING ? ['who is in it'] : []),
  ];
  const away = given.length === 0 ? 'no row by itself' : given.join(', ');
  const remedy =
    audit.outcome === 'refuse'
      ? 'Do not send it in plain.'
      : 'Send it once: a second release that differs by a row gives that row away.';
  return `A plain statistic of this file gives away ${away}. ${remedy}`;
}

function rowsGiven(attacked: Attacked): string[] {
  const { rows, recovery } = attacked;
  const { standingOut, inFile, unique, byChance = 0 } = recovery;
  if (!unique) return inFile > byChance ? [guessText(attacked)] : [];
  if (Math.min(standingOut, inFile) === 0) return [];
  const many = grouped(Math.min(standingOut, inFile));
  const known = knownColumns(attacked);
  return [
    `${known === undefined ? '' : `${known} of `}${many} of ${grouped(rows)} ${rows === 1 ? 'row' : 'rows'} outright`,
  ];
}

function noiseText(): string {
  const most = ofHundred(guessBound(muOf(promise)));
  return `Noise bounds every attack, known or not: in a private study with ε = ${promise.epsilon} and δ = 1/100,000 somebody who has all rows but one and is shown the last beside another picks the right one in at most ${most}; guessing is right in 50.`;
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
  return `${(100 * share).toFixed(1)} of 100 cases`;
}
