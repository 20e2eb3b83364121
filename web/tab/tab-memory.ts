/** Values that this tab keeps from page to page. If the browser stores nothing, they last until the page is left. */
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

/** `sessionStorage` itself throws if the browser is set to store nothing. */
function kept<T>(act: () => T): T | undefined {
  try {
    return act();
  } catch {
    return undefined;
  }
}
