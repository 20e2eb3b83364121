import type { Transaction } from 'kysely';
import type { Store } from './store.ts';
import type { AccessTable, ContributionsTable, SitesTable, Tables } from './tables.ts';
import { insertRows, type RowChange, updateRows } from './write-rows.ts';

type SiteChange = Partial<Pick<SitesTable, 'state' | 'next_sequence' | 'key'>>;

const siteChange: RowChange = {
  table: 'sites',
  key: 'name',
  set: { state: 'text', next_sequence: 'bigint', key: 'text' },
  how: 'replace',
  where: 'study = ?',
};

/** A key belongs to a site in every round: this one has it already. */
const keyChange: RowChange = {
  table: 'sites',
  key: 'name',
  set: { key: 'text' },
  how: 'replace',
  where: 'study in (select id from studies where (id = ? or first = ?) and id <> ?)',
};

/**
 * The sites of a study inside the writes that share a transaction. Their rows are read together, and what the writes change is
 * written together, by `save`.
 */
export class SiteBook {
  readonly #db: Transaction<Tables>;
  readonly #kind: Store['kind'];
  readonly #study: string;
  readonly #first: string;
  /** Names that the writes of the transaction are about. */
  readonly #expected: readonly string[];
  readonly #sites = new Map<string, SitesTable | undefined>();
  #changed = new Set<string>();
  #keyed = new Set<string>();
  #added = new Map<string, AccessTable>();
  #contributions: ContributionsTable[] = [];

  constructor(
    db: Transaction<Tables>,
    kind: Store['kind'],
    { study, first }: { readonly study: string; readonly first: string },
    expected: readonly string[],
  ) {
    this.#db = db;
    this.#kind = kind;
    this.#study = study;
    this.#first = first;
    this.#expected = expected;
  }

  /** A site as it will be after the writes so far. */
  async read(name: string): Promise<SitesTable | undefined> {
    if (this.#sites.has(name)) return this.#sites.get(name);
    const names = [...new Set([name, ...this.#expected.filter((one) => !this.#sites.has(one))])];
    const rows = await this.#db
      .selectFrom('sites')
      .selectAll()
      .where('study', '=', this.#study)
      .where('name', 'in', names)
      .execute();
    for (const one of names) this.#sites.set(one, undefined);
    for (const row of rows) this.#sites.set(row.name, row);
    return this.#sites.get(name);
  }

  /** Changes a site that was read before. */
  change(site: SitesTable, change: SiteChange): void {
    const { name } = site;
    const now = this.#sites.get(name) ?? site;
    this.#sites.set(name, { ...now, ...change });
    this.#changed.add(name);
    if (change.key !== undefined) this.#keyed.add(name);
  }

  /** Adds a site with the row of its secret. */
  add(site: SitesTable, access: AccessTable): void {
    this.#sites.set(site.name, site);
    this.#added.set(site.name, access);
  }

  contribute(row: ContributionsTable): void {
    this.#contributions.push(row);
  }

  /** Writes everything so far; later queries of the transaction see it. */
  async save(): Promise<void> {
    const rowsOf = (names: Iterable<string>) =>
      Array.from(names, (name) => ({ ...this.#sites.get(name)! }));
    const [contributions, added] = [this.#contributions, this.#added];
    const [changed, keyed] = [this.#changed, this.#keyed].map((names) =>
      [...names].filter((name) => !added.has(name)),
    );
    this.#contributions = [];
    this.#added = new Map();
    this.#changed = new Set();
    this.#keyed = new Set();
    await insertRows(this.#db, this.#kind, 'sites', rowsOf(added.keys()));
    await insertRows(
      this.#db,
      this.#kind,
      'access',
      [...added.values()].map((row) => ({ ...row })),
    );
    await insertRows(
      this.#db,
      this.#kind,
      'contributions',
      contributions.map((row) => ({ ...row })),
    );
    await updateRows(this.#db, this.#kind, siteChange, [this.#study], rowsOf(changed));
    if (keyed.length === 0 || !(await this.#hasOtherRounds())) return;
    const rounds = [this.#first, this.#first, this.#study];
    await updateRows(this.#db, this.#kind, keyChange, rounds, rowsOf(keyed));
  }

  async #hasOtherRounds(): Promise<boolean> {
    if (this.#first !== this.#study) return true;
    const other = await this.#db
      .selectFrom('studies')
      .select('id')
      .where('first', '=', this.#first)
      .limit(1)
      .executeTakeFirst();
    return other !== undefined;
  }
}
