import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseStudy } from '../src/fusion/study-schema.ts';
import { nodeHost } from '../src/node/compute/host.ts';
import { type Served, serve } from '../src/node/server/serve.ts';
import { postStudy, studyClient } from '../src/protocol/client.ts';
import type { Link } from '../src/protocol/link.ts';
import type { StudyCreated } from '../src/protocol/messages.ts';
import { createSigningKey } from '../src/protocol/signature.ts';
import { signContribution } from '../src/protocol/signed-contribution.ts';
import { columnsToRead } from '../src/rows/read-rows.ts';
import { reduceRows } from '../src/rows/reduce-job.ts';
import { openSource } from '../src/rows/sources.ts';
import { encodeContribution, firstNumbering } from '../src/statistic/envelope.ts';
import type { TableStudy } from '../src/study/study.ts';
import { tableStudy } from '../src/study/table-study.ts';
import { eventually } from './eventually.ts';
import { agreement, contribution } from './linear.ts';
import { scratch } from './scratch.ts';

export const islands = ['biscoe', 'dream', 'torgersen'] as const;

export function penguinPath(name: string): string {
  return fileURLToPath(new URL(`../examples/penguins/${name}`, import.meta.url));
}

const penguins = tableStudy(
  parseStudy(JSON.parse(readFileSync(penguinPath('study.json'), 'utf8'))),
);

interface State {
  readonly study: Partial<TableStudy> & { readonly name: string };
  readonly draft?: true;
  /** Sites that have contributed. */
  readonly sent: readonly string[];
  /** What happened after that. */
  readonly after?: 'closed' | 'withdrawn';
}

/** What a study can look like when a page shows it. */
const states = {
  draft: { study: { name: 'Penguins next season' }, draft: true, sent: [] },
  collecting: { study: { name: 'Penguins this season' }, sent: ['biscoe', 'torgersen'] },
  resolved: { study: { name: 'Penguins of Palmer' }, sent: islands },
  unresolved: {
    study: { name: 'Penguins without quorum' },
    sent: ['torgersen'],
    after: 'closed',
  },
  private: {
    study: {
      name: 'Penguins in private',
      privacy: { epsilon: 3, delta: 1e-6, unit: 'row', expectedRows: 333 },
    },
    sent: islands,
  },
  logistic: {
    study: {
      name: 'Sex of penguins',
      formula: 'sex ~ bill_length + body_mass + species',
      fusion: { kind: 'glm', family: 'binomial' },
    },
    sent: islands,
  },
  several: {
    study: {
      name: 'Mass and flippers',
      formula: 'cbind(body_mass, flipper_length) ~ bill_length + sex + species',
    },
    sent: islands,
  },
  classes: {
    study: {
      name: 'Species of penguins',
      formula: 'species ~ bill_length + flipper_length + body_mass',
    },
    sent: islands,
  },
  siteEffects: {
    study: {
      name: 'Penguins by island',
      formula: 'body_mass ~ flipper_length + sex',
      fusion: { kind: 'ridge', ridge: 0, siteEffects: 'fixed' },
    },
    sent: islands,
  },
  // The islands have different species, so they disagree about a model without them.
  withdrawn: {
    study: { name: 'Penguins after a farewell', formula: 'body_mass ~ bill_length + sex' },
    sent: islands,
    after: 'withdrawn',
  },
} as const satisfies Record<string, State>;

export type StateName = keyof typeof states;

/** A study in one of the states, and the addresses of its pages. */
export interface ShownStudy {
  readonly name: string;
  readonly created: StudyCreated;
  /** For who runs it. */
  address(page: 'study' | 'result' | 'predict'): string;
  /** For a site. */
  siteAddress(page: 'join' | 'result' | 'predict', site: string): string;
}

/** A coordinator with a study in every state that a page can show. */
export interface PageStates {
  readonly served: Served;
  readonly studies: Readonly<Record<StateName, ShownStudy>>;
  /** For the operator. */
  address(page: '' | 'create'): string;
  stop(): Promise<void>;
}

/** Starts it; `only` some of the studies, where a test needs no more: the addresses of the others lead nowhere. */
export async function pageStates(
  only: readonly StateName[] = Object.keys(states) as StateName[],
): Promise<PageStates> {
  const folder = mkdtempSync(join(scratch, 'suffice-pages-'));
  const served = await serve({
    data: join(folder, 'data'),
    port: 0,
    log: 'none',
    rateLimits: 'off',
  });
  const operator = readFileSync(served.operatorTokenFile!, 'utf8').trim();
  const studies = {} as Record<StateName, ShownStudy>;
  for (const name of Object.keys(states) as StateName[]) {
    studies[name] = only.includes(name)
      ? await shownStudy(served, operator, states[name])
      : notStarted(served, states[name]);
  }
  return {
    served,
    studies,
    address: (page) => `${served.address}/${page}#${operator}`,
    async stop() {
      await served.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function notStarted({ address }: Served, { study: { name } }: State): ShownStudy {
  const nowhere = () => `${address}/not-started`;
  return {
    name,
    address: nowhere,
    siteAddress: nowhere,
    get created(): never {
      throw new RangeError(`the study was not started: ${name}`);
    },
  };
}

async function shownStudy(served: Served, operator: string, state: State): Promise<ShownStudy> {
  const study: TableStudy = { ...penguins, ...state.study };
  const { draft = false } = state;
  const created = await postStudy(served.address, operator, { study, sites: islands, draft });
  const { id, adminToken, coordinatorKey } = created;
  const link = (token: string, purpose: Link['purpose']): Link => ({
    coordinator: served.address,
    purpose,
    study: id,
    token,
    coordinatorKey,
  });
  const invitation = (site: string) =>
    created.invitations.find((invited) => invited.site === site)!.token;
  for (const site of state.sent) {
    await studyClient(link(invitation(site), 'join')).contribute(await fileOf(study, site));
  }
  const admin = studyClient(link(adminToken, 'study'));
  // The server runs due work, too, and may be in the middle of it.
  const resolved = (times: number) =>
    eventually(async () => {
      await served.coordinator.runDueWork();
      const { length } = await admin.resolutions();
      if (length < times) throw new Error(`resolved ${length} times, not ${times}`);
    });
  if (state.sent.length === islands.length) await resolved(1);
  if (state.after === 'closed') await admin.close();
  if (state.after === 'withdrawn') await admin.withdraw({ site: 'torgersen' });
  if (state.after === 'withdrawn') await resolved(2);
  else await served.coordinator.runDueWork();
  const address = (page: string, token: string) =>
    `${served.address}/${page}#${id}.${token}.${coordinatorKey}`;
  return {
    name: state.study.name,
    created,
    address: (page) => address(page, adminToken),
    siteAddress: (page, site) => address(page, invitation(site)),
  };
}

/** What an island sends: its file, reduced and signed. */
async function fileOf(study: TableStudy, site: string): Promise<Uint8Array> {
  const agreed = agreement(study);
  const path = penguinPath(`${site}.csv`);
  const source = await openSource(nodeHost, { path }, columnsToRead(agreed));
  const { wholeFile } = agreed.method;
  const job = {
    kind: 'reduce',
    study,
    source,
    missing: 'drop',
    wholeFile,
    site: { name: site },
  } as const;
  const { sites } = await reduceRows(job, nodeHost, () => {});
  const made = contribution(agreed, site, sites[0].summary, firstNumbering);
  return encodeContribution(signContribution(made, createSigningKey()));
}
