import { weakerThan } from '../disclosure/profile.ts';
import { featuresText } from '../features/feature-maps.ts';
import type { Agreement } from '../federate.ts';
import type { MethodText, StartingPoint } from '../fusion/method.ts';
import { offerableColumns } from '../protocol/judge-offer.ts';
import type { SealedReceipt, StudyView } from '../protocol/messages.ts';
import { progressOf } from '../protocol/progress.ts';
import { studyId } from '../protocol/study-part.ts';
import {
  CLASS_COLUMN,
  type ImageData,
  imagesOf,
  shapeText,
  valuesOf,
} from '../study/image-study.ts';
import { studyTitle } from '../study/study-title.ts';
import { utcText } from '../text/duration.ts';
import { grouped } from '../text/number-text.ts';
import { type Ink, plainInk } from '../text/text-table.ts';
import { visibleText } from '../text/visible-text.ts';
import { cellsText, columnLines } from './cells-text.ts';
import { devicesText } from './devices-text.ts';
import { progressText } from './progress-text.ts';
import { shortKey } from './roster-key.ts';
import { lines } from './wrapped.ts';

/** The study as text: what it fits, which columns it needs, and who sees what. */
export function studyTermsText(
  agreed: Agreement,
  ink: Ink = plainInk,
  needed: readonly string[] = neededText(agreed),
): string {
  const { study, digest, method } = agreed;
  return lines(
    ink.bold(visibleText(study.name ?? 'A study without a name')),
    ...askedText(agreed),
    `  identity   ${digest}`,
    '',
    ...needed.map((line) => `  ${line}`),
    '',
    ...(method.noise === undefined ? [] : [...method.noise.promise.map(indented), '']),
    ...whoSeesText(method.text, 'Who sees what: your rows stay here.').map(indented),
    ...disclosureText(agreed).map(indented),
    ...rosterText(agreed).map(indented),
  );
}

/** What a study needs from a file: its columns, or images. */
function neededText(agreed: Agreement): string[] {
  const columns = offerableColumns(agreed);
  const images = imagesOf(agreed.study);
  if (images !== undefined) {
    const [label] = columns.filter(({ name }) => name === CLASS_COLUMN);
    return [
      `It needs ${shapeText(images)} and their classes:`,
      `  class   ${cellsText(label.column)}`,
      `  pixels  ${grouped(valuesOf(images))} whole numbers from 0 to 255 an image`,
      ...imageFilesText(images),
    ];
  }
  return ['It needs these columns from your file:', ...columnLines(columns)];
}

/** The files that images may come in, and what happens to other sizes. */
export function imageFilesText({ resize }: Pick<ImageData, 'resize'>): string[] {
  return [
    'Give IDX files, a folder of PNG files with a sub-folder for each class, or a table of pixels.',
    ...(resize === undefined ? [] : ['Images of another size are resized to this one.']),
  ];
}

/** Who sees what, line by line; `opening` says first that rows do not leave. */
export function whoSeesText(
  { whoSees: [first, ...rest] }: Pick<MethodText, 'whoSees'>,
  opening: string = 'Your rows stay here.',
): string[] {
  return [`${opening} ${first}`, ...rest];
}

/** The sites that take part by the roster of a study, and the beginnings of their keys. */
function rosterText({ aggregation: { roster } }: Agreement): string[] {
  if (roster === undefined) return [];
  const sites = Object.entries(roster);
  return [
    'Sites on the roster, and the beginnings of their keys:',
    ...sites.slice(0, SHOWN_SITES).map(([site, key]) => `  ${shortKey(key)}  ${site}`),
    ...(sites.length > SHOWN_SITES ? [`  and ${grouped(sites.length - SHOWN_SITES)} more`] : []),
  ];
}

/** Sites of a roster that are listed; the others are counted. */
const SHOWN_SITES = 20;

function indented(text: string): string {
  return `  ${visibleText(text)}`;
}

/** The disclosure rules of a study; empty in a private study, where noise protects the rows. */
export function disclosureText({ study: { disclosure }, method }: Agreement): string[] {
  if (method.noise !== undefined) return [];
  const { profile = 'default' } = disclosure ?? {};
  if (profile === 'none') {
    return [
      ...startText(method),
      'Disclosure rules: none. Take part only if your rows are public.',
    ];
  }
  const own = weakerThan(disclosure ?? {});
  return [
    ...startText(method),
    `Disclosure rules: profile ${profile}; a contribution that breaks a rule is not sent.`,
    ...(own.length === 0 ? [] : [`The study has its own limits: ${own.join('; ')}.`]),
  ];
}

const DECIDED: Readonly<Record<StartingPoint['decides'], string>> = {
  weights: 'how much each of your rows counts',
  columns: 'which columns your rows have',
  training: 'where the training of your network begins',
};

/** What a study gives from an earlier round, in words: it decides how much each row counts, or which columns it has. */
function startText({ start }: Agreement['method']): string[] {
  if (start === undefined) return [];
  const { noun, decides, text, from } = start;
  const decided = DECIDED[decides];
  return [
    `The study gives the ${noun} to start from, and they decide ${decided}: ${text}.`,
    from === undefined
      ? 'It names no resolution that they are from, so they may be made up to single out rows; the audit is stricter for it.'
      : `They are from the resolution with total ${from.total} of study ${studyId(from.study)}; a coordinator compares the two before it invites sites.`,
  ];
}

/** The formula and the method; without a formula, the method says both. */
function askedText({ study: asked, method: { regression, text } }: Agreement): string[] {
  if (regression === undefined) return [`  asks for   ${visibleText(text.method)}`];
  const { study } = regression;
  const { weights } = study;
  const learns = text.method + featuresText(study);
  const weighted = weights === undefined ? '' : `, rows weighted by ${visibleText(weights)}`;
  return [`  asks for   ${visibleText(studyTitle(asked))}`, `  by         ${learns}${weighted}`];
}

/** The state of a study, for one of its sites. */
export function membershipText(view: StudyView): string {
  const { state, deadline, quorum } = view;
  const until = deadline === undefined ? '' : `, until ${visibleText(utcText(deadline))}`;
  const progress =
    state === 'closed' || state === 'resolved'
      ? 'closed: a contribution sent now is stored as late, until a new resolution includes it'
      : `${state}${until}; ${view.devices === undefined ? progressText(progressOf(view)) : devicesText(view.devices)}; ${quorum} needed`;
  return lines(
    `  you are    ${visibleText(view.you?.site ?? '')}`,
    ...(view.round === undefined
      ? []
      : [`  round      ${view.round} of the study you were invited to`]),
    `  state      ${progress}`,
  );
}

/** A receipt as text; the JSON file beside it can be verified. */
export function receiptText(receipt: SealedReceipt, { study }: Agreement): string {
  const { sequence, mode, late, audit, seal } = receipt;
  const effect = mode === 'add' ? 'adds rows' : 'replaces all earlier contributions';
  return lines(
    'Receipt for a contribution',
    '',
    `study         ${visibleText(study.name ?? studyId(receipt.study))}`,
    `              ${receipt.study}`,
    `site          ${visibleText(receipt.site)}`,
    `contribution  number ${sequence}, ${effect}`,
    `file          ${grouped(receipt.bytes)} bytes, ${receipt.digest}`,
    `received      ${utcText(receipt.receivedAt)}${late ? ', after the study had closed' : ''}`,
    `audit log     entry ${audit.position}, ${audit.digest}`,
    ...(receipt.privacy === undefined ? [] : [privacyLine(receipt.privacy)]),
    `signed by     ${seal.key}`,
    `signature     ${seal.signature}`,
    '',
    'The coordinator signed the JSON file beside this text: its canonical JSON without the seal (Ed25519).',
    'With the entry of the audit log you can prove a later change or loss of the contribution.',
  );
}

function privacyLine({ epsilon, delta, mu }: NonNullable<SealedReceipt['privacy']>): string {
  return `privacy       spends μ = ${Number(mu).toPrecision(3)} of the study's ε = ${visibleText(epsilon)}, δ = ${visibleText(delta)}`;
}
