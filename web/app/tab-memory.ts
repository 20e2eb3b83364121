/** What this tab remembers from page to page; where the browser keeps nothing, or has no room, only until the page is left. */
const here = new Map<string, string>();

export function recall(place: string): string | undefined {
  return here.get(place) ?? kept(() => sessionStorage.getItem(place)) ?? undefined;
}

export function remember(place: string, text: string): void {
  here.set(place, text);
  kept(() => sessionStorage.setItem(place, text));
}

export function forget(place: string): void {
  here.delete(place);
  kept(() => sessionStorage.removeItem(place));
}

/** Browsers that are told to keep nothing throw at the name alone. */
function kept<T>(act: () => T): T | undefined {
  try {
    return act();
  } catch {
    return undefined;
  }
}
