import { byteText, grouped, listed, significant } from '../text/number-text.ts';
import { type Ink, layOut } from '../text/text-table.ts';
import type { SendingChoice, SendingCosts } from './sending-costs.ts';

/** The advice as a person reads it: a table, one sentence, and what a sample cannot know. */
export function costsText(costs: SendingCosts, ink: Ink): string {
  const { choices, columns, sample, expected } = costs;
  const table = layOut(
    [
      ['choice', ...choices.map(({ name }) => name)],
      ['size', ...choices.map(({ size }) => String(size))],
      ['a site sends', ...choices.map(({ bytes }) => byteText(bytes))],
      ['site', ...choices.map(({ siteSeconds }) => secondsText(siteSeconds))],
      ['coordinator', ...choices.map((one) => secondsText(one.coordinatorSeconds))],
      ['error', ...choices.map(errorText)],
    ],
    ink,
  );
  const asked = choices.filter(({ name }) => name === 'fewer columns');
  return [
    `${grouped(columns)} columns, ${grouped(expected.sites)} sites of ${grouped(expected.rows)} rows; a sample of ${grouped(sample)} rows. Nothing is sent.`,
    '',
    ...table,
    '',
    ink.bold(sentenceOf(costs)),
    '',
    'size: columns whose sums are sent, or rows of a sketch. Seconds are those of one core of a small server.',
    'error: variance about the fit above that of the exact fit. ≤ is a proven bound if the sites are like the',
    'sample, ≈ is what the sample shows, with a 95 % interval for its rows. A penalty of the study is left out.',
    ...asked.map(({ size, ask = '' }) => `${size} columns: ${listed(ask.split(' + '))}`),
    `no study can ask for: ${listed([...new Set(choices.flatMap(({ ask, name }) => (ask === undefined ? [name] : [])))])}.`,
    'A sample cannot know how the sites differ from it, nor levels and columns that vary only elsewhere. Columns',
    'chosen by it look better in it than they are. Directions of a site with fewer rows are its rows.',
    '',
  ].join('\n');
}

/** One sentence: what to take, and why. */
export function sentenceOf({
  choices: [exact],
  advised,
}: Pick<SendingCosts, 'choices' | 'advised'>): string {
  if (advised === exact) return `exact costs ${byteText(exact.bytes)} a site: send it.`;
  return `exact costs ${byteText(exact.bytes)} a site, ${advised.name} ${byteText(advised.bytes)} with an error ${errorText(advised)}: take ${advised.ask}.`;
}

function errorText({ error, basis, interval = [0, 0] }: SendingChoice): string {
  if (basis === 'exact') return '0';
  if (error === null) return 'no bound';
  return basis === 'bound'
    ? `≤ ${shareText(error)}`
    : `≈ ${shareText(error)} (${interval.map(percent).join(' to ')})`;
}

function shareText(share: number): string {
  return `${percent(share)} %`;
}

function percent(share: number): string {
  return significant(100 * share, 2);
}

function secondsText(seconds: number): string {
  return seconds < 0.001
    ? '< 1 ms'
    : seconds < 1
      ? `${Math.round(1000 * seconds)} ms`
      : `${significant(seconds, 2)} s`;
}
