import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Report } from '../src/model/report.ts';
import { nodeHost } from '../src/node/compute/host.ts';
import { openSource } from '../src/rows/sources.ts';
import { tagRows } from '../src/rows/tag-job.ts';
import { taggedColumns } from '../src/rows/tagged-columns.ts';
import { suffice, temporaryFolder } from './cli.ts';
import { enduring } from './endurance.ts';
import { agreement } from './linear.ts';
import { type PeopleFile, peopleFiles, plain } from './people-files.ts';
import { formula, study } from './people-rows.ts';
import { servedStudy } from './served-study.ts';

const folder = temporaryFolder();
const pathOf = ({ name }: PeopleFile) => join(folder, name);
const studyPath = join(folder, 'drafted.json');

beforeAll(() => {
  for (const file of [plain, ...peopleFiles]) writeFileSync(pathOf(file), file.content);
});

/** Estimates and their errors to ten digits: a logical column may be a number or a category. */
function numbersOf(stdout: string): readonly (readonly string[])[] {
  const { terms } = JSON.parse(stdout) as Report;
  return terms!.map(({ estimate, 'std.error': error }) =>
    [estimate, error].map((x) => x!.toPrecision(10)),
  );
}

describe('a file as people have it is read as the plain one, or refused with the remedy', () => {
  it('by fit', async () => {
    const twin = await suffice('fit', formula, pathOf(plain), '--json');
    expect(numbersOf(twin.stdout)).toHaveLength(10);
    for (const file of peopleFiles) {
      const { code, stdout, stderr } = await suffice('fit', formula, pathOf(file), '--json');
      if (file.draft === undefined) {
        expect([file.name, code, stderr]).toEqual([
          file.name,
          0,
          expect.not.stringContaining('suffice:'),
        ]);
        expect([file.name, numbersOf(stdout)]).toEqual([file.name, numbersOf(twin.stdout)]);
      } else {
        expect([file.name, code, stdout]).toEqual([file.name, 3, '']);
        expect(stderr).toContain(file.draft);
      }
    }
  });

  it('by study init: the drafted study reads the file as the plain one', async () => {
    const twin = await suffice('fit', formula, pathOf(plain), '--json');
    for (const [k, file] of peopleFiles.entries()) {
      // A draft is refused as by `fit`, which has them all.
      if (!enduring && k % 2 > 0) continue;
      rmSync(studyPath, { force: true });
      const { code, stderr } = await suffice(
        'study',
        'init',
        formula,
        pathOf(file),
        '--out',
        studyPath,
      );
      if (file.draft === undefined) {
        expect([file.name, code, stderr]).toEqual([file.name, 0, '']);
        expect(readFileSync(studyPath, 'utf8')).not.toContain('"decimal"');
        if (!enduring && k % 6 > 0) continue;
        const { stdout } = await suffice('fit', studyPath, pathOf(file), '--json');
        expect([file.name, numbersOf(stdout)]).toEqual([file.name, numbersOf(twin.stdout)]);
      } else {
        expect([file.name, code]).toEqual([file.name, 3]);
        expect(stderr).toContain(file.draft);
        expect(() => readFileSync(studyPath)).toThrow();
      }
    }
  });

  it('by row tags: the same rows have the same tags, however their numbers are written', async () => {
    const tagKey = Uint32Array.of(1, 2, 3, 4);
    const columns = taggedColumns(agreement(study));
    const tagsOf = async (file: PeopleFile) => {
      const source = await openSource(nodeHost, { path: pathOf(file) }, []);
      const sets = [{ columns, form: 'cells' }] as const;
      const job = { kind: 'tag', source, tagKey, of: 'values', sets } as const;
      return (await tagRows(job, nodeHost, () => {})).tags[0]!;
    };
    const twin = await tagsOf(plain);
    expect(new Set(twin).size).toBe(twin.length);
    for (const file of peopleFiles.filter(({ draft, join }) => (draft ?? join) === undefined)) {
      const tags = await tagsOf(file);
      const same = tags.filter((tag, r) => tag === twin[r]).length;
      // Rows with a missing cell are in no statistic; they may be told apart by the word for it.
      expect([file.name, same >= twin.length - 8]).toEqual([file.name, true]);
    }
  });

  it('by join: what would be sent has the digest of the plain file’s', async () => {
    const running = await servedStudy(folder, study, ['north', 'south']);
    const invitation = running.invitation('north');
    const join_ = (file: PeopleFile) =>
      suffice(
        'join',
        invitation,
        pathOf(file),
        '--dry-run',
        '--json',
        '--home',
        join(folder, 'home'),
      );
    const digestOf = (stdout: string) => (JSON.parse(stdout) as { digest: string }).digest;
    const twin = await join_(plain);
    // The reader is that of `fit`, which has them all.
    for (const file of peopleFiles.filter((_, k) => enduring || k % 3 === 0)) {
      const { code, stdout, stderr } = await join_(file);
      if (file.join === undefined) {
        expect([file.name, stderr]).toEqual([file.name, expect.not.stringContaining('suffice:')]);
        expect([file.name, digestOf(stdout)]).toEqual([file.name, digestOf(twin.stdout)]);
      } else {
        expect([file.name, code, stdout]).toEqual([file.name, 3, '']);
        expect(stderr).toContain(file.join);
      }
    }
    expect((await running.admin.view()).sites.map(({ state }) => state)).toEqual([
      'invited',
      'invited',
    ]);
  });
});
