import type { Codebook } from './codebook.ts';
import type { PrivacyTerms, TableStudy } from './study.ts';

/** δ must be below this: a promise that fails more often protects nobody. */
export const DELTA_LIMIT = 0.1;
/** A larger ε is a weak promise. */
const WEAK_EPSILON = 5;

/** Notes for the analyst before a private study is opened; `responses` are names of columns. */
export function privacyNotes(
  { privacy, codebook }: TableStudy,
  responses: readonly string[],
): string[] {
  return privacy ? [...promiseDoubts(privacy), ...unitNotes(codebook, responses)] : [];
}

/** Reasons why a promise is weaker than it looks. */
function promiseDoubts({ epsilon, delta, expectedRows }: PrivacyTerms): string[] {
  const doubts: string[] = [];
  if (epsilon > WEAK_EPSILON) doubts.push(`ε = ${epsilon} is a weak promise; 1 is usual`);
  if (expectedRows !== undefined && delta * expectedRows >= 1) {
    const less = 10 ** Math.floor(Math.log10(0.1 / expectedRows));
    doubts.push(
      `δ = ${delta} is not below 1/${expectedRows}: publishing one of ${expectedRows} rows without any noise would keep such a promise; take ${less.toExponential(0)} or less`,
    );
  }
  return doubts;
}

/** What the codebook should state about number responses: they are clipped at 2.5 public SDs. */
function unitNotes(codebook: Codebook, responses: readonly string[]): string[] {
  return responses.flatMap((name) => {
    const column = codebook[name];
    if (column?.type !== 'number') return [];
    const { center, sd } = column;
    if (center !== undefined && sd !== undefined) return [];
    if (center !== undefined) return [`state the public SD of ${name} too: "sd": 3`];
    if (sd !== undefined) return [`state the public centre of ${name} too: "center": 8`];
    return [
      `state the public centre and SD of ${name}: { "center": 8, "sd": 3 }; otherwise a quarter of the range counts as its SD around the middle of the range. Responses are clipped at 2.5 SD from the centre`,
    ];
  });
}
