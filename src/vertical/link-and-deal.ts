import type { Failure } from '../failure.ts';
import { linkRows } from './link-rows.ts';
import type { LinkTokens } from './link-tokens.ts';
import { type LinkedPart, ownPasses } from './linked-part.ts';
import { dealProducts } from './pair-products.ts';
import type { VerticalStudy } from './vertical-study.ts';

/**
 * The helper's whole part, as a function: links the rows by their tokens and deals random numbers for the products of every pair of
 * parties. It sees no column and knows no key. `seedOf` gives 32 bytes for a text, always the same.
 */
export function linkAndDeal(
  study: VerticalStudy,
  tokens: ReadonlyMap<string, LinkTokens>,
  seedOf: (text: string) => Uint8Array,
): ReadonlyMap<string, LinkedPart> | Failure {
  const { parties } = study;
  const { rows, passes } = linkRows(parties.map((party) => tokens.get(party)!));
  const people = rows[0].length;
  const deals = dealsFor(study, people, seedOf);
  if ('problem' in deals) return deals;
  return new Map(
    parties.map((party, p) => [
      party,
      { people, passes: ownPasses(passes, p), rows: rows[p], deals: deals.get(party)! },
    ]),
  );
}

/** The helper's part where the parties have linked their rows themselves: it deals, and leaves the order as it is. */
export function dealOnly(
  study: VerticalStudy,
  people: number,
  seedOf: (text: string) => Uint8Array,
): ReadonlyMap<string, LinkedPart> | Failure {
  const deals = dealsFor(study, people, seedOf);
  if ('problem' in deals) return deals;
  const rows = Uint32Array.from({ length: people }, (_, k) => k);
  return new Map(
    study.parties.map((party) => [party, { people, passes: [], rows, deals: deals.get(party)! }]),
  );
}

/** Random numbers for every pair of parties, by party; refuses to deal for too few people. */
function dealsFor(
  study: VerticalStudy,
  people: number,
  seedOf: (text: string) => Uint8Array,
): ReadonlyMap<string, LinkedPart['deals']> | Failure {
  const { parties, fewest } = study;
  // How many there are is not said: it would say how many people two parties have in common.
  if (people < fewest) return tooFewPeople(fewest);
  const deals = new Map(
    parties.map((party) => [party, {} as Record<string, LinkedPart['deals'][string]>]),
  );
  for (const ring of study.ringsOf(people)) {
    const { left, right } = ring;
    const pair = JSON.stringify([left, right]);
    const leftSeed = seedOf(`left ${pair}`);
    const rightSeed = seedOf(`right ${pair}`);
    deals.get(left)![right] = { seed: leftSeed };
    deals.get(right)![left] = {
      seed: rightSeed,
      correction: dealProducts(ring, leftSeed, rightSeed),
    };
  }
  return deals;
}

/** Why too few people are not linked. */
export function tooFewPeople(fewest: number): Failure {
  return {
    problem: `the parties have fewer than ${fewest} people in common whose rows are complete at all of them`,
    remedy:
      'check that the key columns are written alike at all parties (docs/vertical.md), or add a second key to the partition',
  };
}
