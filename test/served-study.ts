import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { type Served, serve } from '../src/node/server/serve.ts';
import { postStudy, type StudyClient, studyClient } from '../src/protocol/client.ts';
import { type Link, linkText } from '../src/protocol/link.ts';
import type { CreateStudy, StudyCreated } from '../src/protocol/messages.ts';
import type { Study } from '../src/study/study.ts';

/** A coordinator on a store of its own with one study, until the test ends. */
export interface ServedStudy {
  readonly served: Served;
  readonly created: StudyCreated;
  readonly admin: StudyClient;
  link(site: string, address?: string): Link;
  /** Writes a site's invitation, to the coordinator or to what stands before it; gives its path. */
  invitation(site: string, address?: string): string;
}

export async function servedStudy(
  folder: string,
  study: Study,
  sites: readonly string[],
  choices: Omit<CreateStudy, 'study' | 'sites'> = {},
  where?: Served,
): Promise<ServedStudy> {
  const served = where ?? (await serve({ data: join(folder, 'data'), port: 0, log: 'none' }));
  if (where === undefined) onTestFinished(() => served.stop());
  const token = readFileSync(served.operatorTokenFile!, 'utf8').trim();
  const created = await postStudy(served.address, token, { study, sites, ...choices });
  const { id, digest, coordinatorKey } = created;
  const place = { coordinator: served.address, study: id, digest, coordinatorKey };
  const link = (site: string, address = served.address): Link => {
    const { token } = created.invitations.find((one) => one.site === site)!;
    return { ...place, coordinator: address, purpose: 'join', token };
  };
  let written = 0;
  return {
    served,
    created,
    admin: studyClient({ ...place, purpose: 'study', token: created.adminToken }),
    link,
    invitation(site, address) {
      const path = join(folder, `${site}-${++written}.invitation`);
      writeFileSync(path, `${linkText(link(site, address))}\n`, { mode: 0o600 });
      return path;
    },
  };
}
