import type * as zod from 'zod';
import { DataError } from '../data-error.ts';
import type { VerticalPartition } from '../study/partition.ts';
import type { Zod } from '../study/zod.ts';
import type { Aggregation, ColumnsAt } from './aggregation.ts';
import { columnsCollector } from './columns-collector.ts';
import { implausibleMasked } from './masked-share.ts';
import { helperTermsSchema } from './two-aggregators.ts';

const MOST_PARTIES = 20;
const columnNames = (z: Zod) => z.array(z.string().min(1).max(1000)).min(1).max(10_000);

/** The JSON schema of a vertical partition. */
export function verticalSchema(z: Zod): zod.ZodObject {
  return z.strictObject({
    kind: z.literal('vertical'),
    key: z.union([columnNames(z), z.array(columnNames(z)).min(1).max(10)]),
    parties: z
      .record(z.string().min(1).max(200), columnNames(z))
      .refine((parties) => Object.keys(parties).length >= 2, 'must have at least 2 parties')
      .refine((parties) => Object.keys(parties).length <= MOST_PARTIES, 'has too many parties'),
    linkage: z.enum(['hmac', 'ecdh']).optional(),
    duplicates: z.enum(['refuse', 'leave-out']).optional(),
    roster: z
      .record(
        z.string().min(1).max(200),
        z.string().regex(/^[\w-]{43}$/, 'must be the public key of a party, 43 characters'),
      )
      .optional(),
    helper: helperTermsSchema(z).optional(),
  });
}

/** The lists of key columns, in the order in which they are tried. */
export function keyPasses({ key }: Pick<VerticalPartition, 'key'>): readonly (readonly string[])[] {
  const isOne = (all: VerticalPartition['key']): all is readonly string[] =>
    typeof all[0] === 'string';
  return isOne(key) ? [key] : key;
}

/** Every party sends a share of one total, and all are needed. */
export function verticalAggregation(terms: VerticalPartition): Aggregation {
  const { parties, roster, helper } = terms;
  refuseTwice(parties);
  refuseRoster(terms);
  refuseMany(terms);
  const columnsAt: ColumnsAt = {
    parties,
    passes: keyPasses(terms),
    linkage: terms.linkage ?? 'hmac',
    duplicates: terms.duplicates ?? 'refuse',
    ...(roster && { roster }),
    ...(helper && { helper: { ...helper, kem: 'x25519' } }),
  };
  return {
    sees: 'total',
    minimumSites: Object.keys(parties).length,
    parties: ['coordinator'],
    columnsAt,
    ...(roster && { roster }),
    split: ({ values }) => [{ values }],
    implausible: implausibleMasked,
    collector: (layout, _, design) => columnsCollector(layout, columnsAt, design),
  };
}

function refuseTwice(parties: VerticalPartition['parties']): void {
  const seen = new Map<string, string>();
  for (const [party, columns] of Object.entries(parties)) {
    for (const column of columns) {
      const other = seen.get(column);
      if (other !== undefined) {
        throw new DataError(
          `both ${other} and ${party} have the column ${column}`,
          { column },
          'name each column at one party: the one whose values count',
        );
      }
      seen.set(column, party);
    }
  }
}

/** Points are encrypted by both of two parties. */
function refuseMany({ parties, linkage }: VerticalPartition): void {
  const { length } = Object.keys(parties);
  if (linkage !== 'ecdh' || length === 2) return;
  throw new DataError(
    `linkage "ecdh" is between two parties, and the partition has ${length}`,
    {},
    'leave linkage out: tokens link the rows of more parties through a helper',
  );
}

function refuseRoster({ parties, roster }: VerticalPartition): void {
  if (roster === undefined) return;
  const names = Object.keys(parties);
  const keys = Object.values(roster);
  const isSame =
    names.length === keys.length &&
    names.every((name) => name in roster) &&
    new Set(keys).size === keys.length;
  if (isSame) return;
  throw new DataError(
    'the roster does not have one key of its own for each party',
    {},
    'give each party of the partition its own key, as it is shown there',
  );
}
