/** Assumed share of sites that work together with the server. */
const CORRUPT = 0.05;
/** Assumed share of sites that send shares and never come back. */
const GONE = 0.1;
/** An attack succeeds with a chance below 2⁻⁶⁴; a total cannot be opened with a chance below 2⁻²⁰. */
const PRIVACY_BITS = 64;
const OPENING_BITS = 20;
/** Up to this many sites everybody is everybody's neighbour. */
const SMALL = 64;
const FEWEST_NEIGHBOURS = 32;
/** Shares are points of GF(256) other than 0. */
export const mostNeighbours = 255;

/** Neighbours of each site, and how many of them must come back. */
export interface GraphDegree {
  readonly neighbours: number;
  readonly threshold: number;
}

/** How many of a site’s neighbours must come back. */
function thresholdOf(neighbours: number, share: number): number {
  return Math.min(neighbours, Math.floor(share * neighbours) + 1);
}

/**
 * Fewest neighbours of each site for which sites on a random circle are safe (after Bell et al. 2020, §3). Undefined if there is no
 * such number. With k neighbours, t of which must come back, and c of which are corrupt, three things must hold for every site:
 * 2t > k + c, so that nobody can be given as gone to some and as present to others; t > k/2 + c′, where c′ counts the k/2 on one
 * side, so that no run of sites is cut off by sites that are said to be gone; and t of k are still there in the end.
 */
export function graphDegree(sites: number, share: number): GraphDegree | undefined {
  const name = `${sites} ${share}`;
  if (!found.has(name)) found.set(name, leastDegree(sites, share));
  return found.get(name);
}

/** Degrees that were looked for: a search among thousands of sites takes some milliseconds. */
const found = new Map<string, GraphDegree | undefined>();

function leastDegree(sites: number, share: number): GraphDegree | undefined {
  const all = { neighbours: sites - 1, threshold: thresholdOf(sites - 1, share) };
  if (sites <= SMALL) return all;
  const corrupt = Math.ceil(CORRUPT * sites);
  const gone = Math.ceil(GONE * sites);
  const union = Math.log2(sites);
  const tail = tails(sites - 1);
  for (let k = FEWEST_NEIGHBOURS; k < Math.min(sites - 1, mostNeighbours); k += 2) {
    const t = thresholdOf(k, share);
    const twoFaced = tail(corrupt, k, 2 * t - k);
    const cutOff = tail(corrupt, k / 2, t - k / 2) + 1;
    const lost = tail(gone, k, k - t + 1);
    const safe = Math.max(twoFaced, cutOff) + union <= -PRIVACY_BITS;
    if (safe && lost + union <= -OPENING_BITS) return { neighbours: k, threshold: t };
  }
  return all.neighbours <= mostNeighbours ? all : undefined;
}

/** log₂ P(X ≥ least), where X counts the marked ones among `drawn` of `all`: hypergeometric. */
function tails(all: number) {
  const logFactorial = new Float64Array(all + 1);
  for (let k = 1; k <= all; k++) logFactorial[k] = logFactorial[k - 1] + Math.log2(k);
  const choose = (n: number, k: number) =>
    k < 0 || k > n ? -Infinity : logFactorial[n] - logFactorial[k] - logFactorial[n - k];
  return (marked: number, drawn: number, least: number): number => {
    let sum = 0;
    for (let x = least; x <= Math.min(marked, drawn); x++) {
      sum += 2 ** (choose(marked, x) + choose(all - marked, drawn - x) - choose(all, drawn));
    }
    return Math.log2(sum);
  };
}
