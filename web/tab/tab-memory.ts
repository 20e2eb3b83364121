/** Values that this tab keeps from page to page. If the browser stores nothing, they last until the page is left. */
const here = new Map<string, string>();

export function recall(place: string): string | undefined {
  return here.get(place) ?? kept(() => sessionStorage.getItem(place)) ?? undefined;
}

export function remember(place: string, text: string): void {
  here.set(place, text);
  kept(() => sessionStorage.setItem(place, text));
}

/** Whether the browser itself keeps a value, so that it outlives this page. */
export function survivesReload(place: string): boolean {
  return typeof kept(() => sessionStorage.getItem(place)) === 'string';
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
