import { laxerThan } from '../disclosure/profile.ts';
import { featuresText } from '../features/feature-maps.ts';
import type { Agreement } from '../federate.ts';
import type { MethodText } from '../fusion/method.ts';
import { grouped } from '../model/number-text.ts';
import { type Ink, plainInk } from '../model/text-table.ts';
import { offerableColumns } from '../protocol/judge-offer.ts';
import { studyId } from '../protocol/link.ts';
import type { SealedReceipt, StudyView } from '../protocol/messages.ts';
import { printable } from '../protocol/printable.ts';
import type { Column } from '../study/codebook.ts';

/** The study in plain words: what is asked, of which columns, and who will see what. */
export function studyStory(agreed: Agreement, ink: Ink = plainInk): string {
  const { study, digest, method } = agreed;
  const columns = offerableColumns(agreed);
  const width = Math.max(...columns.map(({ name }) => printable(name).length));
  return lines(
    ink.bold(printable(study.name ?? 'A study without a name')),
    ...askedText(agreed),
    `  identity   ${digest}`,
    '',
    '  It needs these columns of your file:',
    ...columns.map(
      ({ name, column }) => `    ${printable(name).padEnd(width)}  ${columnWords(column)}`,
    ),
    '',
    ...(method.noise === undefined ? [] : [...method.noise.promise.map(indented), '']),
    ...sightText(method.text, 'Who sees what: your rows stay here.').map(indented),
    ...disclosureWords(agreed).map(indented),
  );
}

/** Who sees what, line by line; `opening` says first that rows do not leave. */
export function sightText(
  { sight: [first, ...rest] }: Pick<MethodText, 'sight'>,
  opening: string = 'Your rows stay here.',
): string[] {
  return [`${opening} ${first}`, ...rest];
}

function indented(text: string): string {
  return `  ${printable(text)}`;
}

/** Which disclosure rules hold; none where noise protects the rows. */
export function disclosureWords({ study: { disclosure }, method }: Agreement): string[] {
  if (method.noise !== undefined) return [];
  const { profile = 'default' } = disclosure ?? {};
  if (profile === 'none') {
    return ['Disclosure rules: none. Take part only if your rows are public.'];
  }
  const own = laxerThan(disclosure ?? {});
  return [
    `Disclosure rules: profile ${profile}; what breaks one does not leave.`,
    ...(own.length === 0 ? [] : [`The study draws other lines: ${own.join('; ')}.`]),
  ];
}

/** What is asked for and how it is learnt; without a formula, the method says both. */
function askedText({ method: { regression, text } }: Agreement): string[] {
  if (regression === undefined) return [`  asks for   ${printable(text.method)}`];
  const { study } = regression;
  const { weights } = study;
  const learns = text.method + featuresText(study);
  const weighted = weights === undefined ? '' : `, rows weighted by ${printable(weights)}`;
  return [`  asks for   ${printable(study.formula)}`, `  by         ${learns}${weighted}`];
}

const SHOWN_LEVELS = 12;

function columnWords(column: Column): string {
  if (column.type === 'number') {
    const unit = column.unit === undefined ? '' : ` in ${printable(column.unit)}`;
    const range = column.range === undefined ? '' : `, from ${column.range.join(' to ')}`;
    return `number${unit}${range}`;
  }
  if (column.type === 'id') return 'says whose row it is; nothing of it leaves';
  const shown = column.levels.slice(0, SHOWN_LEVELS).map(printable);
  const rest = column.levels.length - shown.length;
  return `one of ${shown.join(', ')}${rest > 0 ? ` and ${grouped(rest)} more` : ''}`;
}

/** How a study stands for the site that asks. */
export function standingStory(view: StudyView): string {
  const { state, deadline, quorum, sites } = view;
  const done = sites.filter((site) => site.state === 'contributed').length;
  const until = deadline === undefined ? '' : `, until ${printable(deadline)}`;
  const standing =
    state === 'closed' || state === 'resolved'
      ? 'closed: what you send now is kept apart as late, until a new resolution includes it'
      : `${state}${until}; ${done} of ${sites.length} sites have contributed, ${quorum} must`;
  return lines(`  you are    ${printable(view.you?.site ?? '')}`, `  state      ${standing}`);
}

/** A receipt for people; the JSON beside it is what can be checked. */
export function receiptStory(receipt: SealedReceipt, { study }: Agreement): string {
  const { sequence, mode, late, audit, seal } = receipt;
  const turn = mode === 'add' ? 'adds rows' : 'stands in place of all earlier ones';
  return lines(
    'Receipt for a contribution',
    '',
    `study         ${printable(study.name ?? studyId(receipt.study))}`,
    `              ${receipt.study}`,
    `site          ${printable(receipt.site)}`,
    `contribution  number ${sequence}, ${turn}`,
    `file          ${grouped(receipt.bytes)} bytes, ${receipt.digest}`,
    `received      ${receipt.receivedAt}${late ? ', after the study had closed' : ''}`,
    `audit log     entry ${audit.position}, ${audit.digest}`,
    ...(receipt.privacy === undefined ? [] : [privacyLine(receipt.privacy)]),
    `signed by     ${seal.key}`,
    `signature     ${seal.signature}`,
    '',
    'The coordinator signed the canonical JSON of the receipt beside this text, without its seal (Ed25519).',
    'The entry of the audit log shows that nobody can drop or change the contribution unnoticed.',
  );
}

function privacyLine({ epsilon, delta, mu }: NonNullable<SealedReceipt['privacy']>): string {
  return `privacy       spends μ = ${Number(mu).toPrecision(3)} of the study's ε = ${printable(epsilon)}, δ = ${printable(delta)}`;
}

export function lines(...texts: readonly string[]): string {
  return `${texts.join('\n')}\n`;
}
