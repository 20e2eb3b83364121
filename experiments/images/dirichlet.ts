import { naturalLog } from '../../src/random/natural-log.ts';
import { normals } from '../../src/random/normals.ts';
import { seededWords } from '../../src/random/seeded-words.ts';
import type { WordSource } from '../../src/random/words.ts';

/**
 * The site of each image, as FedFisher's code divides a data set: every site draws shares of the classes from
 * Dirichlet(α, …, α); each class is shuffled and cut among the sites in proportion to their shares of it. Sites are as unequal
 * as this makes them, and may be empty. The random numbers are ours, since numpy's are not in the paper.
 */
export function dirichletSites(
  labels: ArrayLike<number>,
  classes: number,
  sites: number,
  alpha: number,
  seed: number,
): Uint8Array {
  const random = seededWords(seed);
  const draw = gammas(alpha, random);
  const shares = Array.from({ length: sites }, () => {
    const drawn = Array.from({ length: classes }, draw);
    const sum = drawn.reduce((a, b) => a + b, 0);
    return drawn.map((value) => value / sum);
  });
  return sitesByShares(labels, shares, random);
}

/** Each class shuffled and cut among the sites in proportion to their shares of it, at the floors of the running sums. */
export function sitesByShares(
  labels: ArrayLike<number>,
  shares: readonly (readonly number[])[],
  random: WordSource,
): Uint8Array {
  const sites = shares.length;
  const siteOf = new Uint8Array(labels.length);
  for (let k = 0; k < shares[0]!.length; k++) {
    const rows: number[] = [];
    for (let r = 0; r < labels.length; r++) if (labels[r] === k) rows.push(r);
    shuffle(rows, random);
    const total = shares.reduce((sum, own) => sum + own[k]!, 0);
    let reached = 0;
    let from = 0;
    shares.forEach((own, site) => {
      reached += own[k]! / total;
      const to = site === sites - 1 ? rows.length : Math.floor(reached * rows.length);
      for (let r = from; r < to; r++) siteOf[rows[r]!] = site;
      from = Math.max(from, to);
    });
  }
  return siteOf;
}

/** Gamma variates with unit scale (Marsaglia & Tsang 2000; below 1 by their §6). */
function gammas(shape: number, random: WordSource): () => number {
  const normal = normals(random);
  const uniform = () => (random() + 0.5) / 2 ** 32;
  const raised = shape < 1 ? shape + 1 : shape;
  const d = raised - 1 / 3;
  const c = 1 / Math.sqrt(9 * d);
  const above = () => {
    for (;;) {
      const x = normal();
      const v = (1 + c * x) * (1 + c * x) * (1 + c * x);
      if (v <= 0) continue;
      if (naturalLog(uniform()) < 0.5 * x * x + d - d * v + d * naturalLog(v)) return d * v;
    }
  };
  return shape < 1 ? () => above() * uniform() ** (1 / shape) : above;
}

/** Fisher and Yates. */
function shuffle(rows: number[], random: WordSource): void {
  for (let k = rows.length - 1; k > 0; k--) {
    const other = Math.floor((random() / 2 ** 32) * (k + 1));
    [rows[k], rows[other]] = [rows[other]!, rows[k]!];
  }
}
