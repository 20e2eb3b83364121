import { seededWords } from '../../src/random/seeded-words.ts';
import { sitesByShares } from '../images/dirichlet.ts';
import { classShares } from './class-shares.ts';

/** Seed of the order of the images in a class; the shares of the classes are those of FedFisher's code. */
const PARTITION_SEED = 3;

/**
 * The client of each image. How many images of each class a client has is as in FedFisher's published code, whose partition never
 * changes with its seed; which ones they are is not, since that code draws from another order of the data set.
 */
export function clientsByShares(
  labels: ArrayLike<number>,
  clients: number,
  alpha: number,
): Uint8Array {
  const shares = sharesOf(alpha).slice(0, clients);
  if (shares.length < clients) {
    throw new RangeError(`no shares of classes for α = ${alpha} and ${clients} clients`);
  }
  return sitesByShares(labels, shares, seededWords(PARTITION_SEED));
}

/** A row for each client with its shares of the classes; none for another α. */
function sharesOf(alpha: number): number[][] {
  const text = classShares[String(alpha)];
  return text === undefined ? [] : text.split('\n').map((line) => line.split(' ').map(Number));
}

/** The rows of each client. */
export function rowsByClient(clientOf: Uint8Array, clients: number): Uint32Array[] {
  const rows: number[][] = Array.from({ length: clients }, () => []);
  clientOf.forEach((client, r) => {
    rows[client]!.push(r);
  });
  return rows.map((own) => Uint32Array.from(own));
}
