import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Served } from '../src/node/server/serve.ts';
import { linkText } from '../src/protocol/link.ts';
import { type Study, studyDigest, type TableStudy } from '../src/study/study.ts';
import { runSuffice, suffice, temporaryFolder } from './cli.ts';
import { type ServedStudy, servedStudy } from './served-study.ts';

const root = temporaryFolder();
const names = ['north', 'south', 'west'];
const codebook = {
  y: { type: 'number', range: [-100, 100] },
  sick: { type: 'number', range: [0, 1] },
  x: { type: 'number', range: [0, 50] },
  g: { type: 'category', levels: ['a', 'b'] },
} as const;

const linear: TableStudy = {
  schema: 'suffice/study@1',
  formula: 'y ~ x + g',
  codebook,
  fusion: { kind: 'ridge', ridge: 0 },
  arithmetic: 'exact',
  disclosure: { profile: 'none' },
};
const logistic: TableStudy = {
  ...linear,
  formula: 'sick ~ x + g',
  fusion: { kind: 'glm', family: 'binomial', remainder: 'expected' },
};

/** The rows of each site, as files. */
const files = names.map((name, site) => {
  const rows = Array.from({ length: 60 }, (_, r) => {
    const x = (r * 7 + site * 13) % 50;
    const noise = ((r * 31 + site * 17) % 23) - 11;
    const g = (r * 5 + site) % 3 === 0 ? 'b' : 'a';
    return `${x / 2 + noise + 3 * site},${x + 2 * noise + 4 * site > 28 ? 1 : 0},${x},${g}`;
  });
  const path = join(root, `${name}.csv`);
  writeFileSync(path, `${['y,sick,x,g', ...rows].join('\n')}\n`);
  return path;
});

let studies = 0;

/** A study all of whose sites have sent, by the real command. */
async function collected(
  study: Study,
  paths: readonly string[] = files,
  where?: Served,
): Promise<{ served: ServedStudy; folder: string; link: string }> {
  const folder = join(root, `study-${++studies}`);
  mkdirSync(folder);
  const served = await servedStudy(folder, study, names, {}, where);
  for (const [k, name] of names.entries()) {
    const home = join(folder, `home-${name}`);
    const args = [
      'join',
      served.invitation(name),
      paths[k],
      '--yes',
      '--acknowledge',
      'none',
      '--home',
      home,
    ];
    const { code, stderr } = await runSuffice(args);
    if (code !== 0) throw new Error(stderr);
  }
  const link = join(folder, 'admin.link');
  const { id, coordinatorKey, adminToken } = served.created;
  const place = { coordinator: served.served.address, study: id, coordinatorKey };
  writeFileSync(link, linkText({ ...place, purpose: 'study', token: adminToken }));
  return { served, folder, link };
}

describe('a study that has resolved', () => {
  it('answers by report what fit says of the files, and the answer is a model', async () => {
    const { folder, link } = await collected(linear);
    const flags = ['--se', 'clustered', '--show', 'anova,heterogeneity,influence'];
    const out = join(folder, 'analysis.json');
    const asked = await runSuffice(['report', link, '--wait', ...flags, '--json', '--out', out]);
    expect(asked.stderr).toContain('what resolution 1 was made of');
    const answer = JSON.parse(asked.stdout);
    const save = join(folder, 'codebook.json');
    writeFileSync(save, JSON.stringify(codebook));
    const local = await suffice(
      'fit',
      linear.formula,
      ...files,
      '--codebook',
      save,
      '--json',
      ...flags,
    );
    const expected = JSON.parse(local.stdout);
    expect(answer.terms).toEqual(expected.terms);
    expect(answer.answers).toEqual(expected.answers);
    expect(answer.answers).toHaveLength(3);
    expect((await suffice('verify', out)).code).toBe(0);
    expect((await suffice('predict', out, files[0], '--json')).code).toBe(0);
    const page = (await suffice('export', out, '--format', 'html')).stdout;
    expect(page).toContain('Do the sites agree?');
    expect(page).toContain('least squares, standard errors robust to correlation within sites');
    const forged = readFileSync(out, 'utf8').replace('"clustered"', '"classical"');
    writeFileSync(out, forged);
    expect((await suffice('verify', out)).code).not.toBe(0);
  });

  it('tells who runs it what looks wrong about a site, and tells the sites nothing of it', async () => {
    const rows = readFileSync(files[2], 'utf8').trim().split('\n');
    const odd = rows.map((row, k) => {
      const [y, sick, x, g] = row.split(',');
      return k === 0 ? row : [y, sick, Number(x) / 10, g].join(',');
    });
    const west = join(root, 'west-in-tens.csv');
    writeFileSync(west, `${odd.join('\n')}\n`);
    const { served, link } = await collected({ ...linear, name: 'in tens' }, [
      ...files.slice(0, 2),
      west,
    ]);
    const run = JSON.parse((await runSuffice(['report', link, '--wait', '--json'])).stdout);
    expect(
      run.flags.map((flag: { site: string; column: string }) => [flag.site, flag.column]),
    ).toEqual([['west', 'x']]);
    const site = await runSuffice(['report', served.invitation('north'), '--json']);
    const { flags, disagreement, ...rest } = run;
    expect(disagreement).toEqual({ test: 'Chow', 'p.value': expect.any(Number) });
    expect(JSON.parse(site.stdout)).toEqual(rest);
    const text = (await runSuffice(['report', link])).stdout;
    expect(text).toContain('Suspicious contributions');
    expect(text.split('\n\n')[1]).toMatch(
      /^The sites disagree by more than chance explains \(Chow’s test, p /,
    );
  });

  it('of a logistic regression has a next round, which sites join as any study', async () => {
    const first = await collected(logistic);
    const model = join(first.folder, 'model.json');
    const one = await runSuffice(['report', first.link, '--wait', '--json', '--out', model]);
    const { deviation, n, digest } = JSON.parse(one.stdout);
    expect([n, deviation.steps]).toEqual([180, 0]);
    const next = join(first.folder, 'next.json');
    expect((await suffice('study', 'refine', model, '--out', next)).code).toBe(0);
    const study = JSON.parse(readFileSync(next, 'utf8'));
    expect(study.fusion.from).toEqual({ study: studyDigest(logistic), total: digest });
    const { served } = first.served;
    const second = await collected(study, files, served);
    const two = await runSuffice(['report', second.link, '--wait', '--json']);
    const flags = ['--family', 'binomial', '--rounds', '2', '--gap', '--json'];
    const save = join(first.folder, 'codebook.json');
    writeFileSync(save, JSON.stringify(codebook));
    const local = await suffice('fit', logistic.formula, ...files, '--codebook', save, ...flags);
    const expected = JSON.parse(local.stdout);
    expect(JSON.parse(two.stdout).terms).toEqual(expected.terms);
    expect(expected.deviation.measured).toBeLessThan(deviation.estimate);
  });
});
