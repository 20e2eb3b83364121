import { useEffect, useState } from 'preact/hooks';
import type { EarlierResults } from './earlier-results.ts';

/** The earlier results, once they are loaded: they come after the text of the page. */
export function useEarlier(): EarlierResults | undefined {
  const [results, setResults] = useState<EarlierResults>();
  useEffect(() => {
    import('./earlier.json').then(
      ({ default: loaded }) => setResults(loaded as unknown as EarlierResults),
      () => {}, // the page works without them
    );
  }, []);
  return results;
}

/** Where a figure comes from. */
export function originText(isEarlier: boolean, results: EarlierResults | undefined): string {
  if (!isEarlier) return 'Measured in this tab.';
  if (results === undefined) return 'Press Start to measure it here.';
  const day = new Date(results.date).toLocaleDateString(undefined, { dateStyle: 'medium' });
  return `Measured earlier, on ${day}, with the usual settings. Press Start to run it here with yours.`;
}
