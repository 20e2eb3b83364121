import type { Coordinator } from '../src/coordinator/coordinator.ts';
import {
  type CoordinatorOptions,
  createCoordinator,
} from '../src/coordinator/create-coordinator.ts';
import { type App, createApp } from '../src/coordinator/http/app.ts';
import type { Store } from '../src/coordinator/store.ts';
import type { Link } from '../src/protocol/link.ts';
import { linkText } from '../src/protocol/link.ts';
import type { StudyView } from '../src/protocol/messages.ts';
import type { SigningKey } from '../src/protocol/signature.ts';
import { type RegionTerms, regionalStudy } from '../src/study/regional-study.ts';
import type { Study } from '../src/study/study.ts';
import { operator, type TestSite, table, testSite } from './coordinator-study.ts';
import { agreement } from './linear.ts';
import type { Table } from './tables.ts';

/** A network of coordinators in one process: requests go through their HTTP apps, by host. */
export class TreeNetwork {
  readonly apps = new Map<string, Pick<App, 'fetch'>>();
  /** Where the sites have their rows. */
  from: Table = table;
  /** Requests that changed something, as method, host and path. */
  readonly changes: string[] = [];
  /** Requests that do not arrive, and those whose answer is lost, by method and path. */
  blocked: (method: string, path: string) => boolean = () => false;
  lost: (method: string, path: string) => boolean = () => false;

  readonly fetch: typeof fetch = async (input, init) => {
    const request = new Request(input, { ...init, duplex: 'half' } as RequestInit);
    const { host, pathname } = new URL(request.url);
    const app = this.apps.get(host);
    if (app === undefined || this.blocked(request.method, pathname))
      throw new TypeError('fetch failed');
    if (request.method !== 'GET') this.changes.push(`${request.method} ${host}${pathname}`);
    const answer = await app.fetch(request);
    if (this.lost(request.method, pathname)) throw new TypeError('fetch failed');
    return answer;
  };

  /** A coordinator of this network on a store. */
  async coordinator(
    name: string,
    store: Store,
    more: Pick<CoordinatorOptions, 'keepDays' | 'now' | 'conclude'> = {},
  ): Promise<TreeCoordinator> {
    const host = `${name}.example`;
    const options = { parents: { fetch: this.fetch }, helpers: { fetch: this.fetch } };
    const coordinator = await createCoordinator({ store, ...options, ...more });
    this.apps.set(host, createApp(coordinator, { rateLimits: 'off' }));
    return new TreeCoordinator(coordinator, store, `https://${host}`, this);
  }
}

/** A study on a coordinator of the network, and its sites. */
export interface TreeStudy {
  readonly at: TreeCoordinator;
  readonly id: string;
  readonly study: Study;
  readonly sites: Readonly<Record<string, TestSite>>;
  readonly links: Readonly<Record<string, Link>>;
  view(): Promise<StudyView>;
}

export class TreeCoordinator {
  readonly coordinator: Coordinator;
  readonly store: Store;
  readonly address: string;
  readonly network: TreeNetwork;

  constructor(coordinator: Coordinator, store: Store, address: string, network: TreeNetwork) {
    this.coordinator = coordinator;
    this.store = store;
    this.address = address;
    this.network = network;
  }

  async study(
    study: Study,
    names: readonly string[],
    parent?: Link,
    keys: Readonly<Record<string, SigningKey>> = {},
  ): Promise<TreeStudy> {
    const { coordinator, address } = this;
    const created = await coordinator.create(operator, {
      ...{ study, sites: names },
      ...(parent === undefined ? {} : { parent: linkText(parent) }),
    });
    const { id, digest, coordinatorKey } = created;
    const agreed = agreement(study);
    return {
      ...{ at: this, id, study },
      sites: Object.fromEntries(
        names.map((name) => [
          name,
          testSite(coordinator, id, agreed, name, keys[name], this.network.from),
        ]),
      ),
      links: Object.fromEntries(
        created.invitations.map(({ site, token }) => [
          site,
          { coordinator: address, purpose: 'join', study: id, digest, token, coordinatorKey },
        ]),
      ),
      view: () => coordinator.view(operator, id),
    };
  }

  /** The study of a region on this coordinator: the site `site` of a study above. */
  region(
    above: TreeStudy,
    site: string,
    names: readonly string[],
    own: RegionTerms = {},
    keys: Readonly<Record<string, SigningKey>> = {},
  ): Promise<TreeStudy> {
    return this.study(regionOf(above, site, own), names, above.links[site], keys);
  }
}

/** The document of the study of a region. */
export function regionOf(above: TreeStudy, site: string, own: RegionTerms = {}): Study {
  const { coordinator, coordinatorKey, digest } = above.links[site];
  return regionalStudy(above.study, { study: digest!, site, coordinator, coordinatorKey }, own);
}

/** Lets all coordinators do what is due, the lowest first, until each has seen the others' last change. */
export async function settle(...levels: readonly TreeCoordinator[]): Promise<void> {
  for (const _ of [...levels, 'again']) {
    for (const { coordinator } of levels) {
      await coordinator.runDueWork();
      await coordinator.sendDueSums();
    }
  }
}
