const PLACE = 'suffice operator';

/** The operator's secret in this tab: from the address, or from an earlier page of the tab. */
export function operatorToken(given?: string): string | undefined {
  if (given !== undefined) sessionStorage.setItem(PLACE, given);
  return given ?? sessionStorage.getItem(PLACE) ?? undefined;
}

/** Forgets it: the tab can be left to someone else. */
export function forgetOperator(): void {
  sessionStorage.removeItem(PLACE);
}
