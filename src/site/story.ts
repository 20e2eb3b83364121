import { laxerThan } from '../disclosure/profile.ts';
import { type Agreement, agreement } from '../federate.ts';
import { grouped } from '../model/number-text.ts';
import { type Ink, plainInk } from '../model/text-table.ts';
import { tellsRows } from '../privacy/private-summary.ts';
import { promiseWords } from '../privacy/promise-words.ts';
import { offerableColumns } from '../protocol/judge-offer.ts';
import { studyId } from '../protocol/link.ts';
import type { SealedReceipt, StudyView } from '../protocol/messages.ts';
import { printable } from '../protocol/printable.ts';
import type { Column } from '../study/codebook.ts';
import { featureWords } from '../study/feature-words.ts';
import { methodWords } from '../study/method-words.ts';
import type { EstimateFusion, PrivacyTerms, Study } from '../study/study.ts';

/** The study in plain words: what is asked, of which columns, and who will see what. */
export function studyStory(study: Study, digest: string, ink: Ink = plainInk): string {
  const columns = offerableColumns(agreement(study));
  const width = Math.max(...columns.map(({ name }) => printable(name).length));
  return lines(
    ink.bold(printable(study.name ?? 'A study without a name')),
    `  asks for   ${printable(study.formula)}`,
    `  by         ${studyWords(study)}`,
    `  identity   ${digest}`,
    '',
    '  It needs these columns of your file:',
    ...columns.map(
      ({ name, column }) => `    ${printable(name).padEnd(width)}  ${columnWords(column)}`,
    ),
    '',
    ...promiseLines(study),
    ...sightWords(study, 'Who sees what: your rows stay here.').map((text) => `  ${text}`),
    ...disclosureWords(study).map((text) => `  ${text}`),
  );
}

/** Who sees what, line by line; `opening` says first that rows do not leave. */
export function sightWords(study: Study, opening: string = 'Your rows stay here.'): string[] {
  const [first, ...rest] = study.privacy ? privateSight(study.privacy) : plainSight(study);
  return [`${opening} ${first}`, ...rest];
}

function plainSight(study: Study): string[] {
  if (study.fusion.kind === 'average' || study.fusion.kind === 'fesc') {
    return estimateSight(study.fusion);
  }
  const numbers = hasIntercepts(study)
    ? ', its number of rows and its intercept'
    : ' and its number of rows';
  return [
    'The coordinator sees your statistic, sums over all your rows,',
    'in plain, and whoever runs the study may ask it how your site by itself compares with the others.',
    `Everyone in the study sees the model, and of each site its name${numbers}.`,
  ];
}

/** An inverse of X'X up to a factor, n and the coefficients are together the sums themselves. */
function estimateSight({ covariance = false }: EstimateFusion): string[] {
  const seen = covariance
    ? [
        'The coordinator sees the coefficients of your own regression and their',
        'covariance in plain, from which sums over your rows can be worked out.',
      ]
    : ['The coordinator sees the coefficients of your own regression in plain.'];
  return [
    ...seen,
    'Everyone in the study sees the model, and of each site its name, its number of rows and its weight; where sites',
    'are few, or one leaves, the others can work out your coefficients from that.',
  ];
}

function privateSight(terms: PrivacyTerms): string[] {
  const local = terms.placement === 'local';
  const everyone = tellsRows(terms)
    ? 'Everyone in the study sees the model, the names of the sites and how many rows there are in all.'
    : 'Everyone in the study sees the model and the names of the sites, no exact number of rows.';
  if (terms.protects === 'labels') {
    const adding = local
      ? 'you add it here'
      : 'the coordinator, which sees exact sums, is trusted to add it';
    return [
      'Everything but the response counts as public, and sums of it leave',
      `exactly. Noise hides responses alone; ${adding}.`,
      everyone,
    ];
  }
  return local
    ? [
        'You add the noise yourself, so that you need trust nobody:',
        'the coordinator and everyone else sees your statistic with noise alone.',
        everyone,
      ]
    : [
        'The coordinator sees your statistic exactly and is trusted to',
        'add noise to the sum before anything is published, and to show it to nobody.',
        everyone,
      ];
}

/** What a private study promises, and by which noise. */
function promiseLines({ privacy }: Study): string[] {
  if (!privacy) return [];
  return [...promiseWords(privacy).map((text) => `  ${text}`), ''];
}

/** Which disclosure rules hold; none where noise protects the rows. */
export function disclosureWords({ disclosure, privacy }: Study): string[] {
  if (privacy) return [];
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

function hasIntercepts({ fusion }: Study): boolean {
  return fusion.kind === 'ridge' && fusion.siteEffects !== undefined;
}

function studyWords(study: Study): string {
  const { fusion, weights } = study;
  const method = methodWords(fusion) + featureWords(study);
  return weights === undefined ? method : `${method}, rows weighted by ${printable(weights)}`;
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
