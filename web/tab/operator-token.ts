import { forget, recall, remember } from './tab-memory.ts';

const PLACE = 'suffice operator';

/** The operator's secret: `given` (then remembered in this tab), or the remembered one. */
export function operatorToken(given?: string): string | undefined {
  if (given !== undefined) remember(PLACE, given);
  return given ?? recall(PLACE);
}

/** Forgets the secret, so that someone else can use the tab. */
export function forgetOperator(): void {
  forget(PLACE);
}
