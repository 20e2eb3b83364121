let region: HTMLElement | undefined;

/** Tells those who listen to a page rather than see it. */
export function announce(text: string): void {
  if (region === undefined) {
    region = document.createElement('p');
    region.className = 'seen-by-readers';
    region.setAttribute('role', 'status');
    document.body.append(region);
  }
  region.textContent = text;
}
