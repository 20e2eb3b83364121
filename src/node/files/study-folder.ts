import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { UsageError } from '../../usage-error.ts';

/** Files for the links of a study. They are created before the study, because a secret that cannot be stored is lost. */
export interface StudyFolder {
  readonly path: string;
  readonly adminLink: string;
  invitationOf(site: string): string;
  /** The file of another link, by its name. */
  fileOf(name: string): string;
  /** Writes a link to its file; only the owner can read it. */
  keep(file: string, link: string): void;
  /** Removes the files, and the folder if it was created here. */
  discard(): void;
}

/** Creates the folder and an empty file for every link; refuses if one of them exists. */
export function createStudyFolder(
  path: string,
  sites: readonly string[],
  others: readonly string[] = [],
): StudyFolder {
  const adminLink = join(path, 'admin.link');
  const invitationOf = (site: string) => join(path, `${site}.invitation`);
  const fileOf = (name: string) => join(path, name);
  const files = [adminLink, ...sites.map(invitationOf), ...others.map(fileOf)];
  const taken = files.find((file) => existsSync(file));
  if (taken !== undefined) {
    throw new UsageError(`${taken} already exists`, 'name another folder', { name: 'out' });
  }
  const isNew = !existsSync(path);
  mkdirSync(path, { recursive: true, mode: 0o700 });
  const made: string[] = [];
  const discard = () => {
    for (const file of made) rmSync(file, { force: true });
    if (isNew) rmdirSync(path);
  };
  try {
    for (const file of files) {
      closeSync(openSync(file, 'wx', 0o600));
      made.push(file);
    }
  } catch (failure) {
    discard();
    throw failure;
  }
  return {
    path,
    adminLink,
    invitationOf,
    fileOf,
    keep: (file, link) => writeFileSync(file, `${link}\n`, { mode: 0o600 }),
    discard,
  };
}
