import type { PageFailure } from '../page-failure.ts';

/** From a page to the worker: a call by name, or its cancellation. */
export type ToWorker =
  | { readonly id: number; readonly name: string; readonly given: readonly unknown[] }
  | { readonly id: number; readonly cancel: true };

/** From the worker to a page: updates while a call runs, then its result or its failure. */
export type FromWorker =
  | { readonly id: number; readonly update: unknown }
  | { readonly id: number; readonly result: unknown }
  | { readonly id: number; readonly failure: PageFailure };

/** The first argument of every function in the worker's API: sends updates to the page, and says when the page cancels. */
export interface Call<Update = never> {
  update(update: Update): void;
  readonly signal: AbortSignal;
}
