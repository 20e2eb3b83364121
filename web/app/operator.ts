import { forget, recall, remember } from './tab-memory.ts';

const PLACE = 'suffice operator';

/** The operator's secret in this tab: from the address, or from an earlier page of the tab. */
export function operatorToken(given?: string): string | undefined {
  if (given !== undefined) remember(PLACE, given);
  return given ?? recall(PLACE);
}

/** Forgets it: the tab can be left to someone else. */
export function forgetOperator(): void {
  forget(PLACE);
}
