import type { OpeningLine, OpeningView } from '../protocol/opening-messages.ts';

const states: Readonly<Record<OpeningLine['state'], string>> = {
  silent: 'has not agreed',
  agreed: 'has agreed, and is not opened yet',
  cleared: 'was opened: its numbers are possible',
  wrong: 'was opened: its numbers are wrong',
};

/** What is known of each site of a refused total, one line a site. */
export function openingLines({ sites }: OpeningView): string[] {
  return sites.map(
    ({ site, state, why }) => `${site} ${states[state]}${why === undefined ? '' : `: ${why}`}`,
  );
}
