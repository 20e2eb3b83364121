import type { CheckedFile } from '../../coordinator/contribution-checks.ts';
import type { Receipt, SealedReceipt } from '../../protocol/messages.ts';
import type { SigningKey } from '../../protocol/signature.ts';
import type { ContributionHeader } from '../../statistic/envelope.ts';
import type { Study } from '../../study/study.ts';

/** Studies that the thread keeps; on both sides the one that came first is given up. */
export const MOST_STUDIES = 32;

/** The study of a task, by a number. */
export interface TaskStudy {
  readonly number: number;
  /** Given with the first task about it. */
  readonly study?: Study;
}

/** A file to check or a receipt to sign, in another thread. */
export type CheckTask =
  | (TaskStudy & { readonly file: Uint8Array })
  | { readonly receipt: Receipt; readonly key: SigningKey };

/** A checked file as the thread sends it: without the layout, which the study gives. */
export type SentCheck =
  | (Omit<Exclude<CheckedFile, { readonly refused: string }>, 'contribution'> & {
      readonly contribution: { readonly header: ContributionHeader; readonly values: Uint32Array };
    })
  | { readonly refused: string };

/** What became of a task. */
export type TaskResult =
  | { readonly found: SentCheck; readonly milliseconds: number }
  | { readonly signed: SealedReceipt }
  | { readonly crash: string };
