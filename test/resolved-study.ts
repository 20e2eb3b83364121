import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Served, serve } from '../src/node/server/serve.ts';
import { postStudy, type StudyClient, studyClient } from '../src/protocol/client.ts';
import type { Link } from '../src/protocol/link.ts';
import type { StudyCreated } from '../src/protocol/messages.ts';
import { createSigningKey } from '../src/protocol/signature.ts';
import { signContribution } from '../src/protocol/signed-contribution.ts';
import { encodeContribution } from '../src/statistic/envelope.ts';
import type { Study, TableStudy } from '../src/study/study.ts';
import { eventually } from './eventually.ts';
import { type Agreement, agreement, contribution } from './linear.ts';
import { summaryOf, type Table } from './tables.ts';

/** A study on a running coordinator, to which sites can send tables without a command line. */
export interface RunningAnalysis {
  readonly created: StudyCreated;
  readonly agreed: Agreement;
  readonly admin: StudyClient;
  /** The address of a page, for who runs the study or for one of its sites. */
  page(name: string, site?: string): string;
  link(site?: string): Link;
  send(site: string, table: Table): Promise<void>;
  /** Sends what each site has and waits for the resolution. */
  resolved(): Promise<void>;
}

/** A coordinator of its own in the folder. */
export function startCoordinator(folder: string): Promise<Served> {
  return serve({ data: join(folder, 'data'), port: 0, log: 'none', rateLimits: 'off' });
}

export async function analysisOn(
  served: Served,
  study: Study,
  tables: Readonly<Record<string, Table>>,
): Promise<RunningAnalysis> {
  const operator = readFileSync(served.operatorTokenFile!, 'utf8').trim();
  const sites = Object.keys(tables);
  const created = await postStudy(served.address, operator, { study, sites });
  const agreed = agreement(study);
  const { id, coordinatorKey } = created;
  const link = (site?: string): Link => ({
    coordinator: served.address,
    study: id,
    coordinatorKey,
    purpose: site === undefined ? 'study' : 'join',
    token:
      site === undefined
        ? created.adminToken
        : created.invitations.find((one) => one.site === site)!.token,
  });
  const admin = studyClient(link());
  const send = async (site: string, table: Table) => {
    const every = Array.from({ length: table.rows }, (_, row) => row);
    const made = contribution(agreed, site, summaryOf(agreed, table, every));
    const file = encodeContribution(signContribution(made, createSigningKey()));
    await studyClient(link(site)).contribute(file);
  };
  return {
    created,
    agreed,
    admin,
    link,
    send,
    page: (name, site) => `${served.address}/${name}#${id}.${link(site).token}.${coordinatorKey}`,
    async resolved() {
      for (const [site, table] of Object.entries(tables)) await send(site, table);
      await eventually(async () => {
        await admin.resolution('latest');
      });
    },
  };
}

/** The penguins of an island as a site would read them. */
export function penguinsOf(study: TableStudy, island: string): Table {
  const path = new URL(`../examples/penguins/${island}.csv`, import.meta.url);
  const [head, ...lines] = readFileSync(path, 'utf8').trim().split('\n');
  const names = head.split(',');
  const rows = lines.map((line) => line.split(','));
  const cells = Object.entries(study.codebook).map(([name, column]) => {
    const at = names.indexOf(name);
    const read = (text: string) => {
      if (column.type !== 'category')
        return text === '' || text === 'NA' ? Number.NaN : Number(text);
      const level = column.levels.indexOf(text);
      return level < 0 ? Number.NaN : level;
    };
    return [name, Float64Array.from(rows, (row) => read(row[at]))] as const;
  });
  return { rows: rows.length, codebook: study.codebook, cells: Object.fromEntries(cells) };
}
