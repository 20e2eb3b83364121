import type { Conclusion, OwnClaim, PaperName, StatementVerdict } from '../paper-result.ts';
import type { Matter } from './matters.ts';

/** Sign and words of a verdict. */
export const verdictWords: Readonly<
  Record<StatementVerdict, { readonly sign: string; readonly words: string }>
> = {
  holds: { sign: '✓', words: 'Holds' },
  depends: { sign: '◐', words: 'Depends on what the paper leaves open' },
  fails: { sign: '✗', words: 'Does not hold under any reading tried' },
};

/** When a printed number or word counts as reproduced; the page and the terminal say it. None where a paper's numbers only stand beside ours. */
export const aboutRules: Readonly<Partial<Record<PaperName, string>>> = {
  ridge:
    'A printed number counts as reproduced in the paper’s favour: from half of a saving, a speed-up or a gap on, and up to twice a loss that is called small. Speed is that of plain float64 against plain float64. A statement that is not quoted here was not tried.',
  fesc: 'To attain or equal the centralised performance is read as a mean error within 5 %, within 25 % or within a factor of 2 of it, each with its 95 % limits. A statement that is not quoted here was not tried.',
  fisher:
    'A statement about an order of methods is tried on means over the seeds. Where the paper leaves a choice open (steps of the server, how much is sent), each choice is a reading. A statement that is not quoted here was not tried.',
};

/** How many matters of the paper hold, as a sentence. */
export function tallyText(matters: readonly Matter[]): string {
  if (matters.length === 0) return 'The paper’s statements are tried in other experiments.';
  const statements = matters.reduce((sum, one) => sum + one.statements.length, 0);
  const [held, open, failed] = verdictCounts(matters);
  const tried = `${counted(statements, 'statement')} of the paper, on ${counted(matters.length, 'matter')}, ${statements === 1 ? 'was' : 'were'} tried here.`;
  const parts = [
    held === 0 ? [] : [`${held} ${held === 1 ? 'holds' : 'hold'}`],
    open === 0
      ? []
      : [`${open} ${open === 1 ? 'depends' : 'depend'} on what the paper leaves open`],
    failed === 0
      ? []
      : [`${failed} ${failed === 1 ? 'does' : 'do'} not hold under any reading tried`],
  ].flat();
  return `${tried} Of the matters ${parts.join(', ')}.`;
}

/** Matters, or statements, that hold, depend on a reading, and fail. */
export function verdictCounts(
  all: readonly { readonly verdict: StatementVerdict }[],
): [holds: number, depends: number, fails: number] {
  const count = (verdict: StatementVerdict) => all.filter((one) => one.verdict === verdict).length;
  return [count('holds'), count('depends'), count('fails')];
}

/** How many of our own claims hold, as a sentence. */
export function ownTallyText(claims: readonly OwnClaim[]): string {
  const holding = claims.filter(({ holds }) => holds).length;
  if (claims.length === 0) return 'Our claims are tried in other experiments.';
  if (claims.length === 1)
    return `Our one claim ${holding === 1 ? 'holds' : 'does not hold'} here.`;
  const count = holding === claims.length ? 'all' : holding === 0 ? 'none' : String(holding);
  return `Of our own ${claims.length} claims ${count} ${holding === 1 ? 'holds' : 'hold'} here.`;
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}

/** A claim of ours, or a statement as a quotation with its place in the paper. */
export function placedClaim(conclusion: Conclusion): string {
  if (conclusion.of === 'ours') return conclusion.claim;
  return `${conclusion.where}: “${conclusion.claim}”`;
}
