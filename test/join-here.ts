import { silentProgress } from '../src/node/run/progress.ts';
import { type FileJoinRequest, joinStudy } from '../src/node/site/join-files.ts';
import { openSiteFolder } from '../src/node/site/site-folder.ts';
import type { Joined } from '../src/site/join.ts';
import { plainInk } from '../src/text/text-table.ts';

/** Joins in this process as a person who approves whatever is shown; `told` gathers what that was. */
export async function joinHere(
  request: Omit<FileJoinRequest, 'missing'>,
  home: string,
  told: string[] = [],
): Promise<Joined> {
  return joinStudy({ ...request, missing: 'drop' }, await openSiteFolder(home), {
    ink: plainInk,
    watch: () => silentProgress,
    show: (text) => told.push(text),
    notice: () => {},
    failure: () => {},
    explain: () => {},
    refuseUnattended: () => {},
    approve: async () => true,
  });
}
