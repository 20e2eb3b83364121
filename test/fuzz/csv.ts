// Long-running fuzz of the CSV kernels, by hand: npx tsx test/fuzz/csv.ts [million numbers] [minutes of files] [seed]
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { chunkSizes, csvCases, csvMess } from '../csv-arbitrary.ts';
import { readCase, readCaseTwin, readInRanges } from '../csv-laws.ts';
import { decimalStrings } from '../decimal-strings.ts';
import { numberScanner } from '../number-scanner.ts';

const [millions = 1, minutes = 1, seed = Date.now() % 2 ** 31] = process.argv.slice(2).map(Number);

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

function fuzzNumbers(): number {
  const scan = numberScanner();
  const next = decimalStrings(seed);
  let wrong = 0;
  for (let i = 0; i < millions * 1e6; i++) {
    const text = next();
    const { length, value } = scan(text);
    if (length === text.length && Object.is(value, Number(text))) continue;
    wrong++;
    say(`number ${text}: ${value} (${length} characters), should be ${Number(text)}`);
  }
  say(`${millions} million numbers, ${wrong} wrong`);
  return wrong;
}

function fuzzFiles(): number {
  const until = Date.now() + minutes * 60_000;
  const cuts = fc.array(fc.nat(), { minLength: 1, maxLength: 4 });
  const cases = fc.tuple(
    fc.oneof(csvCases, csvMess),
    chunkSizes,
    fc.integer({ min: 1, max: 5 }),
    cuts,
  );
  let files = 0;
  let refused = 0;
  let ranged = 0;
  let wrong = 0;
  for (let batch = seed; Date.now() < until; batch++) {
    for (const [file, sizes, blockRows, at] of fc.sample(cases, { seed: batch, numRuns: 500 })) {
      const whole = readCaseTwin(file);
      const parts = readInRanges(file, at, sizes);
      files++;
      if ('why' in whole) refused++;
      if (parts !== undefined) ranged++;
      const same =
        isDeepStrictEqual(readCase(file, sizes, blockRows), whole) &&
        (parts === undefined || isDeepStrictEqual({ columns: parts }, whole));
      if (same) continue;
      wrong++;
      say(`file ${JSON.stringify({ file, sizes, blockRows, at })}`);
    }
  }
  say(`${files} files (${refused} refused), ${ranged} also in ranges, ${wrong} wrong`);
  return wrong;
}

say(`seed ${seed}`);
process.exitCode = fuzzNumbers() + fuzzFiles() === 0 ? 0 : 1;
