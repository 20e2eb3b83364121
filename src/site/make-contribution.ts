import { DataError } from '../data-error.ts';
import type { History } from '../disclosure/history.ts';
import { type Agreement, contribution, readContribution } from '../federate.ts';
import type { SigningKey } from '../protocol/signature.ts';
import { signContribution } from '../protocol/signed-contribution.ts';
import { releasedLabels, weightsOf } from '../rows/inspection.ts';
import { taggedColumns } from '../rows/tagged-columns.ts';
import type { Summary } from '../statistic/cross-product.ts';
import { type ContributionNumbering, encodeContribution } from '../statistic/envelope.ts';
import { entriesOf } from '../statistic/layout.ts';
import type { RingVector } from '../statistic/ring.ts';
import type { Statistic } from '../statistic/statistic.ts';
import { digestBytes } from '../study/digest.ts';
import type { Release } from './ledger-chain.ts';

/** Whose contribution it is, and its recipient. */
interface Addressed {
  readonly agreed: Agreement;
  readonly site: string;
  readonly numbering: ContributionNumbering;
  /** The key to sign with; the contribution is unsigned without it. */
  readonly key?: SigningKey;
  /** The recipient: the key of a coordinator, or `file`. */
  readonly place: string;
  /** Finds the site's mask, where the sites agree on masks. */
  mask?(): Promise<RingVector>;
}

/** The sums of a site's rows, and what the ledger compares later releases with. */
interface Reviewed {
  readonly summary: Summary;
  readonly history: History;
  /** The name of the file or table, for a refusal. */
  readonly source: string;
  /** What else the ledger keeps of this release. */
  readonly more: Pick<Release, 'tagForm' | 'fileRows' | 'person'>;
}

/** The contribution as its exact bytes, signed where there is a key, and the entry of the ledger about it. */
export async function makeContribution(
  { agreed, site, numbering, key, place, mask }: Addressed,
  { summary, history, source, more }: Reviewed,
): Promise<{
  /** The statistic as the study asks for it, before the aggregation hides it. */
  readonly released: Statistic;
  readonly file: Uint8Array;
  readonly release: Release;
}> {
  const { method, aggregation, layout, digest } = agreed;
  await aggregation.load?.();
  const masked = await mask?.();
  const released = method.release(summary.statistic, site);
  const unsigned = contribution(agreed, site, { ...summary, released }, numbering, masked);
  const file = encodeContribution(
    key === undefined ? unsigned : signContribution(unsigned, key),
    method.noise === undefined ? 'short' : 'the same for all',
  );
  refuseImpossible(agreed, file, source);
  const release: Release = {
    ...{ study: digest, site },
    ...numbering,
    ...{ rows: summary.rows, numbers: entriesOf(layout), bytes: file.length },
    digest: digestBytes(file),
    ...traits(agreed, history, place),
    ...more,
  };
  return { released, file, release };
}

/** Refuses what the coordinator would refuse: numbers that left their range while they were summed. */
function refuseImpossible(agreed: Agreement, file: Uint8Array, source: string): void {
  const read = readContribution(agreed, file);
  if (!('refused' in read)) return;
  throw new DataError(
    `the sums of these rows leave the range of the study’s numbers, and would be refused: ${read.refused}`,
    { file: source },
    'ask for a study with ranges that fit the columns; start a further round from the model of the round before',
  );
}

/** The facts of a release that the ledger needs to compare later releases with it. */
function traits(
  { method, columns }: Agreement,
  { shared = [] }: History,
  place: string,
): Pick<Release, 'columns' | 'labels' | 'weights' | 'charge' | 'shared'> {
  const charge = method.noise?.charge(place);
  return {
    columns: taggedColumns({ columns }),
    labels: releasedLabels(method),
    ...weightsOf(method),
    ...(charge === undefined ? {} : { charge, shared }),
  };
}
