import { isSite } from '../../tab/page-address.ts';
import { bytesText, countText } from '../../ui/text.ts';
import type { SectionProps } from './section-props.ts';

/** What each site sent for this result, and what a method of many rounds would send instead. */
export function TrafficSection({ overview, link, shown }: SectionProps) {
  const { contributions } = shown.resolution;
  const { parameters, fedAvg } = overview.traffic;
  const messages = isSite(link)
    ? contributions.filter(({ site }) => site === overview.view.you?.site)
    : contributions;
  const most = Math.max(1, ...messages.map(({ digests }) => digests.length));
  const who = isSite(link) ? 'Your site' : 'Each site';
  const [usual] = fedAvg;
  return (
    <div class="stack">
      <p>
        {who} sent {most === 1 ? 'one message' : `at most ${countText(most)} messages`} of{' '}
        {countText(shown.totalNumbers)} numbers, {bytesText(shown.totalBytes)} besides headers and a
        signature.{' '}
        {shown.network?.next === undefined
          ? 'That was all: nobody had to wait for another site, and no site is asked again.'
          : 'Nobody had to wait for another site. A further round asks again.'}
      </p>
      {parameters !== undefined && usual !== undefined && (
        <p>
          A method of many rounds sends the model instead of sums, here{' '}
          {`${countText(parameters)} ${parameters === 1 ? 'number' : 'numbers'}`} up and down in
          each round. FedAvg with {countText(usual.rounds)} rounds would send {bytesText(usual.up)}{' '}
          up and as much down for each site, and every site would have to answer{' '}
          {countText(usual.rounds)} times.
        </p>
      )}
    </div>
  );
}
