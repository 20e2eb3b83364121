import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { deflateSync, gzipSync } from 'node:zlib';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { describe, expect, it } from 'vitest';
import { DataError } from '../src/data-error.ts';
import { tagsInOrder } from '../src/disclosure/row-tags.ts';
import { agreement, joinSummaries } from '../src/federate.ts';
import { nodeHost } from '../src/node/compute/host.ts';
import type { Host } from '../src/rows/host.ts';
import type { Job } from '../src/rows/jobs.ts';
import { type Pool, poolOf, ReadingCancelled, type Thread } from '../src/rows/pool.ts';
import type { ReduceJob, ReduceResult } from '../src/rows/reduce-job.ts';
import { serveJob } from '../src/rows/serve-jobs.ts';
import type { Source } from '../src/rows/source.ts';
import { openSource, readerOf, versionAt } from '../src/rows/sources.ts';
import { joinTagResults, type TagJob } from '../src/rows/tag-job.ts';
import { taggedColumns } from '../src/rows/tagged-columns.ts';
import { openSite, reduceSite } from '../src/site/site-table.ts';
import { canonicalJson } from '../src/study/canonical-json.ts';
import type { ImageStudy } from '../src/study/image-study.ts';
import { temporaryFolder } from './cli.ts';
import {
  cifarRecord,
  idxBytes,
  matBytes,
  matEntries,
  pngBytes,
  put,
  putIdx,
  putPngs,
  putPpms,
  someImages,
  type TestImages,
} from './image-files.ts';

const folder = temporaryFolder();
const N = 90;
const classes = ['boot', 'coat', 'shirt'];
const grey = someImages(N, { height: 6, width: 5, channels: 1 }, classes.length);
const colour = someImages(N, { height: 4, width: 2, channels: 3 }, classes.length);

const studyOf = ({ height, width, channels }: TestImages, resize?: 'bilinear'): ImageStudy => ({
  schema: 'suffice/study@1',
  data: { kind: 'images', height, width, channels, classes, ...(resize && { resize }) },
  features: [],
  fusion: { kind: 'ridge', ridge: 1 },
  arithmetic: 'exact',
});

/** A way to bring images, and how the laws put them there. */
interface Law {
  readonly kind: string;
  put(name: string, images: TestImages): string;
  /** Whether its images stand by class, not in the order of the other kinds. */
  readonly byClass?: boolean;
  /** Whether it can be cut into ranges. */
  readonly cut?: false;
  /** What differs in the other is shown by another kind, or the kind has no such images. */
  readonly only?: 'grey' | 'colour';
  /** Its images have another size, which the study resizes. */
  readonly resize?: 'bilinear';
  /** A table, whose reader has laws of its own: here only what its names say is tested. */
  readonly table?: true;
}

const enlarged = { only: 'colour', resize: 'bilinear' } as const;

const laws: readonly Law[] = [
  { kind: 'IDX', put: (name, images) => putIdx(folder, name, images) },
  {
    kind: 'IDX in gzip',
    put: (name, images) => putIdx(folder, name, images, gzipSync),
    cut: false,
    only: 'grey',
  },
  { kind: 'IDX by its folder', put: idxFolder, only: 'grey' },
  { kind: 'IDX with planes', put: idxPlanes },
  {
    kind: 'PNG',
    put: (name, images) => putPngs(folder, `png-${name}`, images, classes),
    byClass: true,
  },
  { kind: 'MAT', put: (name, images) => mat(name, images, deflateSync), cut: false },
  { kind: 'MAT, not compressed', put: (name, images) => mat(name, images), only: 'colour' },
  { kind: 'CIFAR-10', put: (name, images) => cifar(name, images, [[]]), ...enlarged },
  {
    kind: 'CIFAR-100 in two files',
    put: (name, images) => cifar(name, images, [[0], [19]]),
    ...enlarged,
  },
  {
    kind: 'PPM',
    put: (name, images) => putPpms(folder, `ppm-${name}`, images),
    ...{ byClass: true, only: 'colour' },
  },
  {
    kind: 'a table from pixel0 on',
    put: (name, images) => csv(name, images, 'label', (k) => `pixel${k}`),
    ...{ table: true, only: 'grey' },
  },
  {
    kind: 'a table from pixel1 on',
    put: (name, images) => csv(name, images, 'class', (k) => `pixel${k + 1}`),
    ...{ table: true, only: 'grey' },
  },
  { kind: 'a table by row and column', put: byRowAndColumn, table: true },
  { kind: 'a Parquet table', put: parquet, table: true, only: 'grey' },
];

function idxFolder(name: string, images: TestImages): string {
  putIdx(`${folder}/idx-${name}`, 'train', images);
  return `${folder}/idx-${name}`;
}

function mat(name: string, images: TestImages, pack?: typeof deflateSync): string {
  return put(folder, `mat-${name}-${pack?.name}.mat`, matBytes(matEntries(images), pack));
}

/** As many files as there are labels before the label of an image. */
function cifar(name: string, images: TestImages, before: readonly number[][]): string {
  const own = `cifar-${name}-${before.length}`;
  const each = Math.ceil(images.values.length / before.length);
  before.forEach((labels, k) => {
    const records = images.values.flatMap((image, at) =>
      Math.floor(at / each) === k
        ? [cifarRecord(image, images, [...labels, images.labels[at]])]
        : [],
    );
    put(folder, `${own}/data_batch_${k + 1}.bin`, Buffer.concat(records));
  });
  put(folder, `${own}/readme.html`, Buffer.from('<p>'));
  return join(folder, own);
}

/** n × c × h × w: each channel is a plane. */
function idxPlanes(name: string, { height, width, channels, values, labels }: TestImages): string {
  const pixels = height * width;
  const planes = values.flatMap((image) =>
    Array.from({ length: channels * pixels }, (_, k) => {
      return image[(k % pixels) * channels + Math.floor(k / pixels)];
    }),
  );
  const sides = [values.length, channels, height, width];
  put(folder, `${name}-labels.idx`, idxBytes([values.length], Buffer.from(labels)));
  return put(folder, `${name}-images.idx`, idxBytes(sides, Uint8Array.from(planes)));
}

function csv(
  name: string,
  { values, labels }: TestImages,
  label: string,
  pixel: (k: number) => string,
): string {
  const header = [label, ...Array.from(values[0], (_, k) => pixel(k))].join(',');
  const lines = values.map((image, k) => [labels[k], ...image].join(','));
  return put(
    folder,
    `${name}-${label}-${pixel(0)}.csv`,
    Buffer.from([header, ...lines, ''].join('\n')),
  );
}

function byRowAndColumn(name: string, images: TestImages): string {
  const { width, channels } = images;
  return csv(name, images, 'label', (k) => {
    const pixel = Math.floor(k / channels);
    const place = `${Math.floor(pixel / width) + 1}x${(pixel % width) + 1}`;
    return channels === 1 ? place : `${place}x${(k % channels) + 1}`;
  });
}

function parquet(name: string, { values, labels }: TestImages): string {
  const columnData = [
    { name: 'label', data: [...labels], type: 'INT32' as const },
    ...Array.from(values[0], (_, k) => ({
      name: `pixel${k}`,
      data: values.map((image) => image[k]),
      type: 'INT32' as const,
    })),
  ];
  const bytes = parquetWriteBuffer({ columnData, rowGroupSize: 24 });
  return put(folder, `${name}.parquet`, Buffer.from(bytes));
}

let open = 0;

const host: Host = {
  ...nodeHost,
  async open(file) {
    const reader = await nodeHost.open(file);
    open++;
    return {
      ...reader,
      close() {
        open--;
        return reader.close();
      },
    };
  },
};

function localPool(threads: number, posted: Job[] = []): Pool {
  const startThread = (): Thread => {
    let hear: Parameters<Thread['listen']>[0] = () => {};
    return {
      post(job) {
        posted.push(job);
        void serveJob(structuredClone(job), host, (message) => hear(structuredClone(message)));
      },
      listen(listener) {
        hear = listener;
        return () => {};
      },
      terminate: () => {},
    };
  };
  return poolOf({ threads, leastBytes: 0, leastRange: 1, host, startThread });
}

const quiet = () => ({ update() {}, done() {} });
const tagKey = Uint32Array.of(1, 2, 3, 4);
const choices = { missing: 'refuse', tagKey } as const;

const sent = async (
  images: TestImages,
  path: string,
  study: ImageStudy = studyOf(images),
  pool: Pool = localPool(1),
) => {
  const agreed = agreement(study);
  const source = await openSite(study, { path }, choices, pool);
  const { summary, inspection } = await reduceSite(agreed, 's', { source }, choices, pool, quiet);
  return { source, summary, inspection, values: [...summary.statistic.values] };
};

describe.each([
  ['grey', grey],
  ['colour', colour],
] as const)('%s images', (colours, images) => {
  let known: readonly number[] | undefined;

  describe.each(laws.filter(({ only = colours }) => only === colours))(
    'from $kind',
    ({ put: putImages, byClass = false, cut = true, table = false, resize }) => {
      const study = studyOf(images, resize);
      const agreed = agreement(study);
      const path = putImages(`${colours}-rows`, images);
      // A table has a reader of its own, with laws of its own.
      const lawOfImages = table ? (_: string, __: () => unknown) => {} : it;
      const opened = () => openSite(study, { path }, choices, localPool(1));

      it('give the sums of their pixels, the same from every kind', async () => {
        const { values, summary } = await sent(images, path, study);
        expect(summary.rows).toBe(N);
        known ??= values;
        expect(values).toEqual(known);
      });

      lawOfImages('are plain data, and have the columns of the study', async () => {
        const source = await opened();
        expect(structuredClone(source)).toEqual(source);
        expect(source.name).toBe(path);
      });

      lawOfImages('give one statistic however they are cut, bit for bit', async () => {
        const source = await opened();
        const join = (parts: readonly ReduceResult[]): ReduceResult => {
          const summaries = parts.map(({ sites }) => sites[0].summary);
          return { sites: [{ name: 's', summary: joinSummaries(agreed.rowsLayout, summaries) }] };
        };
        const job: ReduceJob = {
          ...{ kind: 'reduce', study, source, missing: 'refuse', wholeFile: false },
          site: { name: 's' },
        };
        for (const pieces of [1, 2, 5]) {
          const posted: Job[] = [];
          const [{ sites }] = await localPool(pieces, posted).run([job], join, () => {});
          expect([...sites[0].summary.statistic.values], `${pieces} pieces`).toEqual(known);
          if (pieces > 1) expect(posted).toHaveLength(cut ? pieces : 1);
        }
      });

      it('come once and in order, in each range', async () => {
        const source = await opened();
        const reader = readerOf(host, source);
        const names = ['pixel1', 'pixel7'].map(
          (name) => source.wording?.columns?.get(name) ?? name,
        );
        const column = { type: 'number', range: [0, 255] } as const;
        const seen: string[] = [];
        for (const range of [...reader.cut(source, 4), undefined].slice(0, cut ? 4 : 1)) {
          const reading = { files: host, source, ...(range && { range }), progress: () => {} };
          await reader.read(
            reading,
            names.map((name) => ({ name, column })),
            ({ rows, columns: [a, b] }) => {
              for (let r = 0; r < rows; r++) seen.push(`${a[r]} ${b[r]}`);
            },
          );
        }
        const order = images.labels.map((_, k) => k);
        if (byClass) order.sort((a, b) => images.labels[a] - images.labels[b] || a - b);
        expect(seen).toEqual(order.map((k) => `${images.values[k][0]} ${images.values[k][6]}`));
      });

      it('have the tags that a second reading gives, so that R9 knows an image again', async () => {
        const { source, inspection } = await sent(images, path, study);
        const job: TagJob = {
          ...{ kind: 'tag', source, tagKey, of: 'values' },
          sets: [{ columns: taggedColumns(agreed), form: 'cells' }],
        };
        const [{ tags }] = await localPool(3).run([job], joinTagResults, () => {});
        expect(new Set(tags[0]).size).toBe(N);
        if (source.wording === undefined) {
          expect(tagsInOrder(inspection.tags ?? [])).toEqual(tags[0]);
        }
      });

      lawOfImages(
        'have another version once one image is another, and the same one until then',
        async () => {
          const at = putImages(`${colours}-changing`, images);
          const first = canonicalJson(await versionAt(host, { path: at }));
          expect(canonicalJson(await versionAt(host, { path: at }))).toBe(first);
          expect(canonicalJson((await openSource(host, { path: at }, [])).version)).toBe(first);
          putImages(`${colours}-changing`, { ...images, values: images.values.toReversed() });
          expect(canonicalJson(await versionAt(host, { path: at }))).not.toBe(first);
        },
      );

      lawOfImages('hear Stop before the end, and close what they opened', async () => {
        const source: Source = await opened();
        const reader = readerOf(host, source);
        const column = { type: 'number' } as const;
        const name = source.wording?.columns?.get('pixel2') ?? 'pixel2';
        const scan = { wanted: [name], texts: [], missing: [], decimal: '.' } as const;
        const progress = () => {
          throw new ReadingCancelled();
        };
        const reading = { files: host, source, progress };
        await expect(reader.read(reading, [{ name, column }], () => {})).rejects.toThrow(
          ReadingCancelled,
        );
        await expect(reader.scan(reading, scan)).rejects.toThrow(ReadingCancelled);
        expect(open).toBe(0);
      });

      lawOfImages('are scanned as they are read', async () => {
        const source = await opened();
        const name = source.wording?.columns?.get('pixel2') ?? 'pixel2';
        const label = source.wording?.columns?.get('class') ?? 'class';
        const told: number[] = [];
        const reading = { files: host, source, progress: (bytes: number) => told.push(bytes) };
        const scan = { wanted: [name, label], texts: [label], missing: [], decimal: '.' } as const;
        const { draft } = await readerOf(host, source).scan(reading, scan);
        const second = images.values.map((image) => image[1]);
        expect(draft.columns.get(name)).toMatchObject({
          ...{ numbers: N, min: Math.min(...second), max: Math.max(...second) },
        });
        const counts = [...draft.columns.get(label)!.texts!.values()].sort((a, b) => a - b);
        const expected = classes.map((_, c) => images.labels.filter((one) => one === c).length);
        expect(counts).toEqual(expected.sort((a, b) => a - b));
        expect(told.at(-1)).toBeCloseTo(source.length, 6);
      });
    },
  );
});

describe('images that cannot be read are refused by name, wherever they enter', () => {
  const { height, width } = grey;
  const study = studyOf(grey);
  const form = { height, width, colour: 0, depth: 8 } as const;
  const image = pngBytes(form, grey.values[0]);
  const pngs = (name: string, bad: string, bytes: Uint8Array) => {
    for (const one of classes) put(folder, `${name}/${one}/0.png`, image);
    put(folder, `${name}/${bad}`, bytes);
    return `${folder}/${name}`;
  };
  const alone = (name: string, bytes: Uint8Array) => put(folder, name, bytes);
  const small = Buffer.concat(grey.values.slice(0, 2));
  const labels = idxBytes([2], Uint8Array.of(0, 1));
  const idx = (name: string, images: Uint8Array, own: Uint8Array = labels) => {
    put(folder, `${name}-labels-idx1-ubyte`, own);
    return put(folder, `${name}-images-idx3-ubyte`, images);
  };
  const empty = () => {
    put(folder, 'empty/x', new Uint8Array(0));
    rmSync(`${folder}/empty/x`);
    return `${folder}/empty`;
  };

  it.each([
    ['an empty folder', empty(), 'empty: no images in the folder'],
    [
      'a text in a class',
      pngs('a', 'boot/notes.txt', Buffer.from('hello')),
      'notes.txt: not a PNG file',
    ],
    [
      'a JPEG named PNG',
      pngs('b', 'boot/1.png', Uint8Array.of(0xff, 0xd8)),
      '1.png: not a PNG file',
    ],
    ['a cut PNG', pngs('c', 'boot/1.png', image.subarray(0, 60)), '1.png: the PNG file is damaged'],
    ['an image in no class', pngs('d', 'x.png', image), 'in no sub-folder, such as x.png'],
    [
      'another class',
      pngs('e', 'Boots/1.png', image),
      'e, row 1, column "class": not one of the 3 levels of the codebook',
    ],
    [
      'another size',
      pngs('f', 'coat/1.png', pngBytes({ ...form, height: 1 }, grey.values[0].slice(0, 5))),
      'coat/1.png: an image has 1 × 5 pixels; the study needs 6 × 5',
    ],
    ['a single PNG', alone('g.png', image), 'the file is an image'],
    [
      'images without labels',
      alone('h-images-idx3-ubyte', idxBytes([2, height, width], small)),
      'no labels',
    ],
    ['labels without images', alone('i-labels-idx1-ubyte', labels), 'no images are beside it'],
    [
      'a cut IDX',
      idx('j', idxBytes([3, height, width], small)),
      'does not hold what its header says: 3 × 6 × 5',
    ],
    [
      'too long an IDX',
      idx('k', idxBytes([1, height, width], small)),
      'does not hold what its header says',
    ],
    [
      'fewer labels',
      idx('l', idxBytes([2, height, width], small), idxBytes([1], Uint8Array.of(0))),
      'labels are 1, but there are 2',
    ],
    [
      'a label too large',
      idx('m', idxBytes([2, height, width], small), idxBytes([2], Uint8Array.of(0, 3))),
      'row 2: a label is no class',
    ],
    ['floats', idx('n', idxBytes([2, height, width], small, 0x0d)), 'holds floats, not bytes'],
    [
      'other sides',
      idx('o', idxBytes([2, width, height], small)),
      'an image has 5 × 6 pixels; the study needs 6 × 5',
    ],
    ['four odd sides', idx('p', idxBytes([2, 2, 3, 5], small)), 'neither grey nor in colour'],
    [
      'no images',
      idx('q', idxBytes([0, height, width], new Uint8Array(0)), idxBytes([0], new Uint8Array(0))),
      'no images in the file',
    ],
    [
      'a cut gzip',
      alone(
        'r-images-idx3-ubyte.gz',
        gzipSync(idxBytes([2, height, width], small)).subarray(0, 50),
      ),
      '',
    ],
  ])('%s', async (_, path, words) => {
    put(folder, 'r-labels-idx1-ubyte', labels);
    const failure = await sent(grey, path).catch((refusal) => refusal);
    expect(failure).toBeInstanceOf(DataError);
    expect(failure.message).toContain(words);
    expect(failure.remedy).not.toBe('');
    expect(open).toBe(0);
  });

  it('two files of images in one folder: a person must choose', async () => {
    putIdx(`${folder}/both`, 'train', grey);
    putIdx(`${folder}/both`, 't10k', grey);
    await expect(sent(grey, `${folder}/both`)).rejects.toThrow('holds 2 files of images');
  });

  it('a file of labels stands for its images, and files of the system are left out', async () => {
    const images = putIdx(folder, 'twin', grey);
    const own = images.replace('images-idx3', 'labels-idx1');
    expect((await sent(grey, own)).values).toEqual((await sent(grey, images)).values);
    const pngFolder = putPngs(folder, 'mac', grey, classes);
    put(folder, 'mac/.DS_Store', Buffer.from('x'));
    put(folder, 'mac/boot/._1.png', Buffer.from('x'));
    expect((await sent(grey, pngFolder)).summary.rows).toBe(N);
  });

  it('images of another size are resized where the study says so, from every kind alike', async () => {
    const resizing = {
      ...studyOf(grey),
      data: { ...study.data, height: 4, width: 7, resize: 'bilinear' },
    } as const;
    const totals = [putIdx(folder, 'big', grey), putPngs(folder, 'big', grey, classes)].map(
      async (path) => {
        const source = await openSite(resizing, { path }, choices, localPool(1));
        const agreed = agreement(resizing);
        const { summary } = await reduceSite(agreed, 's', { source }, choices, localPool(1), quiet);
        return [...summary.statistic.values];
      },
    );
    const [first, second] = await Promise.all(totals);
    expect(first).toEqual(second);
  });
});
