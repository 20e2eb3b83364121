import type { Trouble } from './trouble.ts';

/** What a page says to the desk. */
export type ToDesk =
  | { readonly id: number; readonly duty: string; readonly given: readonly unknown[] }
  | { readonly id: number; readonly cancel: true };

/** What the desk says to a page. */
export type FromDesk =
  | { readonly id: number; readonly news: unknown }
  | { readonly id: number; readonly result: unknown }
  | { readonly id: number; readonly trouble: Trouble };

/** What a duty has beside what it is given: a way to tell how far it is, and to hear that nobody waits any more. */
export interface Call<News = never> {
  tell(news: News): void;
  readonly signal: AbortSignal;
}
