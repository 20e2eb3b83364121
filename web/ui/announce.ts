import { visiblePage } from './hidden-characters.ts';

let region: HTMLElement | undefined;

/** Announces a text to screen readers. */
export function announce(text: string): void {
  if (region === undefined) {
    region = document.createElement('p');
    region.className = 'seen-by-readers';
    region.setAttribute('role', 'status');
    document.body.append(region);
  }
  region.textContent = visiblePage(text);
}
