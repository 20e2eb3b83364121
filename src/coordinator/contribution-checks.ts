import { type Agreement, readContribution } from '../federate.ts';
import type { Receipt, SealedReceipt } from '../protocol/messages.ts';
import { type SigningKey, sealDocument } from '../protocol/signature.ts';
import { isSignedContribution } from '../protocol/signed-contribution.ts';
import type { Contribution } from '../statistic/envelope.ts';
import { digestBytes } from '../study/digest.ts';

/** A file that is a contribution to its study, or why it is not one. */
export type CheckedFile =
  | {
      readonly contribution: Contribution;
      /** Whether the key that it names has signed it. */
      readonly signed: boolean;
      readonly digest: string;
    }
  | { readonly refused: string };

/** The part of a contribution's way that needs only its bytes and its study: another thread can do it. */
export interface ContributionChecks {
  /** Reads a file, and says how long that took. */
  check(
    agreed: Agreement,
    file: Uint8Array,
  ): Promise<{ readonly found: CheckedFile; readonly milliseconds: number }>;
  sign(receipt: Receipt, key: SigningKey): Promise<SealedReceipt>;
}

/** Reads a file as a contribution to the study. */
export function checkFile(agreed: Agreement, file: Uint8Array): CheckedFile {
  const decoded = readContribution(agreed, file);
  if ('refused' in decoded) return decoded;
  const { contribution } = decoded;
  return { contribution, signed: isSignedContribution(contribution), digest: digestBytes(file) };
}

/** Checks and signs in this thread. */
export const checksHere: ContributionChecks = {
  async check(agreed, file) {
    const started = performance.now();
    const found = checkFile(agreed, file);
    return { found, milliseconds: performance.now() - started };
  },
  sign: async (receipt, key) => sealDocument(receipt, key),
};
