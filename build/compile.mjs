import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import vm from 'node:vm';

/**
 * Runs the built command on small files, and writes what V8 has compiled by then of each script beside it. A function that
 * did not run here is compiled when it is first called.
 */
const scripts = [];
vm.Script = class extends vm.Script {
  constructor(text, options) {
    super(text, options);
    scripts.push({ script: this, path: options.filename });
  }
};

const folder = mkdtempSync(join(tmpdir(), 'suffice-build-'));
const codebook = join(folder, 'codebook.json');
const site = 'examples/penguins/biscoe.csv';
const formula = 'body_mass ~ flipper_length + bill_length + sex';
const calls = [
  ['fit', formula, site, '--save-codebook', codebook, '--quiet'],
  ['fit', formula, site, '--codebook', codebook],
  [
    ...['contribute', 'examples/penguins/study.json', site, '--site', 'biscoe', '--yes', '--quiet'],
    ...['--home', folder, '--out', join(folder, 'contribution')],
  ],
];
const require = createRequire(import.meta.url);
const main = require.resolve('../dist/command/main.js');
const { compiledExtension } = require('../dist/command/compiled-script.js');
process.stdout.write = () => true;

/** Runs the next call each time that the one before has ended. */
function next() {
  const call = process.exitCode ? undefined : calls.shift();
  if (call !== undefined) {
    process.argv.splice(2, Infinity, ...call);
    delete require.cache[main];
    setImmediate(require, main); // so that `beforeExit` comes again
    return;
  }
  process.off('beforeExit', next);
  rmSync(folder, { recursive: true });
  for (const { script, path } of scripts) {
    writeFileSync(path + compiledExtension, script.createCachedData());
  }
}
process.on('beforeExit', next);
next();
