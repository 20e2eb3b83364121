import { plainInk } from '../src/model/text-table.ts';
import { type JoinRequest, joinStudy } from '../src/node/join.ts';
import { silentProgress } from '../src/node/progress.ts';
import { openSiteHome } from '../src/node/site-home.ts';
import type { Joined } from '../src/site/join.ts';

/** Joins in this process as a person who approves whatever is shown; `told` gathers what that was. */
export async function joinHere(
  request: Omit<JoinRequest, 'missing'>,
  home: string,
  told: string[] = [],
): Promise<Joined> {
  return joinStudy({ ...request, missing: 'drop' }, await openSiteHome(home), {
    ink: plainInk,
    watch: () => silentProgress,
    show: (text) => told.push(text),
    notice: () => {},
    failure: () => {},
    refuseUnattended: () => {},
    approve: async () => true,
  });
}
