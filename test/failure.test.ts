import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { fileURLToPath } from 'node:url';
import type { Command } from 'commander';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { evaluation } from '../src/analysis/evaluation.ts';
import type { EvaluationCounts } from '../src/analysis/evaluation-counts.ts';
import { commands } from '../src/cli/commands.ts';
import { explainFailure } from '../src/cli/failure.ts';
import { optionTexts, withFlags } from '../src/cli/option-text.ts';
import { createProgram } from '../src/cli/run.ts';
import type { Audit } from '../src/disclosure/rule.ts';
import { type Failure, FailureError, failureOf } from '../src/failure.ts';
import { noPredictionInterval, refuseWithoutErrors } from '../src/model/prediction-interval.ts';
import type { Report } from '../src/model/report.ts';
import { nodeHost } from '../src/node/compute/host.ts';
import { readCodebook } from '../src/node/files/json-file.ts';
import { readLink } from '../src/node/files/link-file.ts';
import { type ModelFile, readModel } from '../src/node/files/model-file.ts';
import { createStudyFolder } from '../src/node/files/study-folder.ts';
import { combineFiles } from '../src/node/run/combine.ts';
import { readCounts } from '../src/node/run/evaluate.ts';
import { fitFiles } from '../src/node/run/fit.ts';
import { silentProgress } from '../src/node/run/progress.ts';
import { refuseTooNoisy } from '../src/node/run/too-noisy.ts';
import { verifyFile } from '../src/node/run/verify-file.ts';
import { listen } from '../src/node/server/http-server.ts';
import { findOperatorToken } from '../src/node/server/operator-token.ts';
import { unreachable } from '../src/node/store/postgres-errors.ts';
import type { OptionName } from '../src/option.ts';
import { linkText } from '../src/protocol/link.ts';
import { NetworkFailure } from '../src/protocol/network-failure.ts';
import { Refusal, type RefusalCode, refusalStatus } from '../src/protocol/refusal.ts';
import { createSigningKey } from '../src/protocol/signature.ts';
import { createTransport } from '../src/protocol/transport.ts';
import { predictRows } from '../src/rows/predict.ts';
import { studyForecast } from '../src/site/forecast-text.ts';
import { AlreadyContributed } from '../src/site/join.ts';
import { factsMissing } from '../src/site/prepare-answer.ts';
import {
  type Prepared,
  refuseAudit,
  refuseUnacknowledged,
} from '../src/site/prepare-contribution.ts';
import { missingCells } from '../src/statistic/missing-cells.ts';
import type { Codebook } from '../src/study/codebook.ts';
import { parseFormula } from '../src/study/formula.ts';
import { transcode } from '../src/table/encoding.ts';
import { otherWay, otherWays } from '../web/pages/join/other-ways.ts';
import { temporaryFolder, testIo } from './cli.ts';
import { readText } from './csv-read.ts';
import { agreement } from './linear.ts';
import { privateStudy } from './private-models.ts';

afterEach(() => vi.restoreAllMocks());

const folder = temporaryFolder();
const number: Codebook = { x: { type: 'number', range: [0, 10] } };
const noise = { epsilon: 1, delta: 1e-5, unit: 'row', expectedRows: 10 } as const;
const hopeless = agreement(
  privateStudy('y ~ x', { ...number, y: { type: 'number', range: [0, 1] } }, noise),
);

const invitation = linkText({
  coordinator: 'https://host.example',
  purpose: 'join',
  study: '0123456789abcdef',
  token: `sfi_${'A'.repeat(43)}`,
  coordinatorKey: createSigningKey().key,
});

function written(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

/** A model of the example, and a file to predict for. */
async function predicted(formula: string, site?: string) {
  const paths = ['biscoe', 'dream'].map((name) => `examples/penguins/${name}.csv`);
  const fusion = { kind: 'ridge', ridge: 0 } as const;
  const reading = { missing: 'drop', decimal: '.', missingMarkers: [] } as const;
  const model = await fitFiles(
    { formula, paths, fusion, arithmetic: 'exact', ...reading },
    () => silentProgress,
  );
  const file = { path: written('bill.csv', 'bill_length\n40\n') };
  const request = { model, file, extrapolate: false, ...(site === undefined ? {} : { site }) };
  return predictRows(request, nodeHost, () => {});
}

const still = {
  secure: false,
  addressFrom: 'socket',
  stopping: new AbortController().signal,
} as const;
const nobody = { fetch: () => new Response() } as never;

/** What work ends in: the error thrown, or the failure given back. */
async function outcome(work: () => unknown): Promise<FailureError | Failure> {
  try {
    return (await work()) as Failure;
  } catch (failure) {
    if (failure instanceof FailureError) return failure;
    throw failure;
  }
}

/** What the command line prints of an error, and its exit code. */
function explained(failure: unknown): { readonly text: string; readonly code: number } {
  const stderr = new PassThrough({ encoding: 'utf8' });
  const code = explainFailure(failure, stderr);
  return { text: stderr.read(), code };
}

const terminal = { stdin: process.stdin, stderr: process.stderr, env: {} };

interface Case {
  readonly of: OptionName | 'nothing';
  readonly work: () => unknown;
  /** What the command line says behind its arrow. */
  readonly says: string;
  readonly exit?: number;
  /** The button of the join page. */
  readonly button?: string;
}

const latin1 = 'The encoding is the likely cause: read again as Western European (latin1)';
const savedModel = '(suffice fit --save-model, or suffice report --show all --out)';

const cases: readonly Case[] = [
  {
    of: 'encoding',
    work: () => readText(new Uint8Array([0xe4, 10, 49, 10]), number),
    says: 'Save the file as UTF-8, or say that its encoding is latin1 (--encoding latin1).',
    exit: 3,
    button: latin1,
  },
  {
    of: 'encoding',
    work: () => readText('x\0\n1\n', number),
    says: 'Save the file as UTF-8, or, if that is what it is, say that its encoding is utf-16le (--encoding utf-16le).',
    exit: 3,
    button: 'The encoding is the likely cause: read again as UTF-16',
  },
  {
    of: 'encoding',
    work: () =>
      readText(new Uint8Array([120, 10, 0xe4, 10]), { x: { type: 'category', levels: ['a'] } }),
    says: 'Save the file as UTF-8, or say that its encoding is utf-16le or, more often, latin1 (--encoding latin1).',
    exit: 3,
    button: latin1,
  },
  {
    of: 'encoding',
    work: () => transcode('shift_jis').push(new Uint8Array([0x81, 0xff])),
    says: 'Save the file as UTF-8, or say which encoding it has (--encoding).',
    exit: 3,
    button: latin1,
  },
  {
    of: 'missing-marker',
    work: () => readText('x\nq\n', number),
    says: 'Write a plain number such as -0.75 or 3e-4, or list the text as a missing marker in the codebook (--missing-marker).',
    exit: 3,
  },
  {
    of: 'missing-marker',
    work: () => readText('x\n99\n', number),
    says: 'Check the unit of the column, correct the value, or list a code for "missing" as a missing marker (--missing-marker).',
    exit: 3,
  },
  {
    of: 'decimal',
    work: () => readText('x;y\n1,5;1\n', number),
    says: 'Declare "decimal": "," for this column in the codebook (--decimal ,).',
    exit: 3,
    button: 'Read again with a decimal comma',
  },
  {
    of: 'decimal',
    work: () => readText('x;y\n1,234;1\n', number),
    says: 'Remove the thousands separators; if the sign is the decimal mark, declare it as the codebook\'s "decimal" (--decimal).',
    exit: 3,
  },
  {
    of: 'missing',
    work: () => missingCells(['x'], { file: 't.csv', missing: 'refuse' }).counter(() => 7)(0, 0),
    says: 'complete the file, or let rows with missing cells be dropped (--missing drop)',
    exit: 3,
    button: 'Read again and leave such rows out',
  },
  {
    of: 'insecure-http',
    work: () => createTransport('http://example.org', 'secret'),
    says: 'ask for an https:// link; --insecure-http sends the secret and the statistic readable',
    exit: 5,
  },
  {
    of: 'interval',
    work: () => noPredictionInterval({ family: 'poisson' } as Report, { classes: [] }),
    says: 'ask for a confidence interval, which is that of the mean (--interval confidence)',
  },
  {
    of: 'interval',
    work: () => refuseWithoutErrors({ lasso: {} } as Report),
    says: 'predict with a model of least squares, or leave the interval out (no --interval)',
    exit: 3,
  },
  {
    of: 'site',
    work: () => predicted('body_mass ~ bill_length + .site'),
    says: 'give the file a column .site, or name the site of all rows, such as biscoe (--site biscoe)',
    exit: 3,
  },
  {
    of: 'site',
    work: () => predicted('body_mass ~ bill_length', 'elba'),
    says: 'leave the site out (no --site)',
    exit: 3,
  },
  {
    of: 'tls',
    work: () =>
      listen(nobody, { ...still, host: 'localhost', port: 0, tls: { cert: folder, key: folder } }),
    says: 'give a certificate and its key, files in PEM (--tls-cert and --tls-key)',
    exit: 2,
  },
  {
    of: 'port',
    work: async () => {
      const { server, address } = await listen(nobody, { ...still, host: '127.0.0.1', port: 0 });
      const port = Number(new URL(address).port);
      return listen(nobody, { ...still, host: '127.0.0.1', port }).finally(() => server.close());
    },
    says: 'choose another port, or 0 for any free port (--port 0)',
    exit: 2,
  },
  {
    of: 'host',
    work: () => listen(nobody, { ...still, host: '203.0.113.1', port: 0 }),
    says: 'listen at 0.0.0.0 for all its addresses, or at 127.0.0.1 for this machine only (--host 127.0.0.1)',
    exit: 2,
  },
  {
    of: 'turn',
    work: () => Promise.reject(new AlreadyContributed('north')),
    says: 'say whether the file has only new rows, or replaces all rows sent before (--add or --replace)',
    exit: 5,
  },
  {
    of: 'acknowledge',
    work: () => refuseUnacknowledged(['none'], undefined, 'nothing was sent'),
    says: 'choose rules of your own, or acknowledge it if your rows are public (--acknowledge none)',
    exit: 5,
  },
  {
    of: 'facts',
    work: () => {
      throw factsMissing('answer.csv');
    },
    says: 'write the queries with the facts, and run those too; the facts stay here (suffice sql --facts)',
    exit: 3,
  },
  {
    of: 'attack',
    work: () =>
      refuseAudit(
        { audit: { outcome: 'refuse', rules: [] } as unknown as Audit } as Prepared,
        'nothing was sent',
      ),
    says: 'see the remedy below each rule; suffice attack FILE shows why the rules exist',
    exit: 5,
  },
  {
    of: 'force',
    work: () => refuseTooNoisy(hopeless, 10, 1),
    says: '329 rows would reduce this to 1 %; fewer columns, refinement rounds or a larger ε would also help; suffice privacy plan shows how, and --force goes on all the same',
    exit: 5,
  },
  {
    of: 'model',
    work: () => readModel(written('no-model.json', '{}')),
    says: `give a file with a saved model ${savedModel}`,
    exit: 3,
  },
  {
    of: 'counts',
    work: () => readCounts(written('no-counts.json', '{}'), {} as ModelFile),
    says: 'give a file that an evaluation of the model wrote (suffice evaluate MODEL FILE --out)',
    exit: 3,
  },
  {
    of: 'bins',
    work: () =>
      evaluation([
        { model: 'a', bins: 10, levels: [], label: 'y' },
        { model: 'a', bins: 20, levels: [], label: 'y' },
      ] as unknown as EvaluationCounts[]),
    says: 'give files that were made with one model and one number of bins (--bins)',
  },
  {
    of: 'codebook',
    work: () => readCodebook(written('codebook.json', '{')),
    says: 'save the codebook of a fit to see its form (--save-codebook)',
    exit: 2,
  },
  {
    of: 'contribute',
    work: () =>
      combineFiles(
        hopeless.study,
        [written('no-contribution', 'x')],
        'optional',
        undefined,
        folder,
      ),
    says: 'ask the site to make it again, for exactly this study (suffice contribute)',
    exit: 3,
  },
  {
    of: 'study',
    work: () => verifyFile(written('bytes', '\x01\x02'), {}),
    says: 'give the study too (--study STUDY.json, or --link)',
    exit: 3,
  },
  {
    of: 'out',
    work: () => {
      written('admin.link', '');
      return createStudyFolder(folder, ['north']);
    },
    says: 'name another folder (--out)',
    exit: 2,
  },
  {
    of: 'admin-link',
    work: () => readLink(written('site.invitation', invitation), 'study', terminal),
    says: 'use the link that came with the study when it was created (suffice study create prints it)',
    exit: 2,
  },
  {
    of: 'operator-token',
    work: () => findOperatorToken({ given: 'nonsense' } as never),
    says: 'a token is sfo_ and 43 more characters; without one, a new token is made (by suffice serve, at its first start)',
    exit: 2,
  },
  {
    of: 'database',
    work: () => Promise.reject(unreachable({ code: 'ECONNREFUSED' })),
    says: 'try again in a moment; check whether the server is running, and its address (--database)',
    exit: 4,
  },
  {
    of: 'nothing',
    work: () => parseFormula('y ~'),
    says: expect.any(String) as unknown as string,
    exit: 2,
  },
  {
    of: 'nothing',
    work: () => Promise.reject(new NetworkFailure('nobody answers', 'try again')),
    says: 'try again',
    exit: 4,
  },
];

describe('a failure', () => {
  it.each(cases)('$of: $says', async ({ of, work, says, exit, button }) => {
    const found = await outcome(work);
    const failure = found instanceof FailureError ? failureOf(found) : found;
    expect(structuredClone(failure)).toStrictEqual(failure); // it survives a thread
    expect(failure.option?.name ?? 'nothing').toBe(of);
    expect(withFlags(failure.remedy, failure.option)).toEqual(says);
    expect(failure.remedy).not.toMatch(/(^|[\s("])--[a-z]|\bsuffice [a-z]/);
    expect(otherWay(failure.option, { missing: 'refuse' })?.text).toBe(button);
    if (exit === undefined) return;
    const { text, code } = explained(found);
    expect(code).toBe(exit);
    expect(text).toContain(`suffice: ${(found as FailureError).message}\n  → `);
    if (typeof says === 'string') expect(text.endsWith(`\n  → ${says}\n`)).toBe(true);
  });

  it('by which a coordinator refuses has one exit code', () => {
    const codes = Object.keys(refusalStatus) as RefusalCode[];
    const exits = codes.map((code) => [code, explained(new Refusal(code, 'no', 'do')).code]);
    const data = ['bad-request', 'too-large', 'unprocessable'];
    const network = ['not-yet', 'too-many-requests', 'store-unavailable'];
    for (const [code, exit] of exits as [RefusalCode, number][]) {
      expect(exit, code).toBe(data.includes(code) ? 3 : network.includes(code) ? 4 : 5);
    }
  });
});

describe('a forecast', () => {
  it('says at a command line what to do, and elsewhere stands on its own', () => {
    const { remarks } = studyForecast(hopeless, 1)!;
    expect(remarks.map(({ text }) => text).slice(1)).toEqual([
      'The answer would be mostly noise.',
      'What would help: fewer columns, a larger ε, or refinements in 1+4 rounds.',
    ]);
    expect(remarks.map(({ text, option }) => withFlags(text, option)).slice(1)).toEqual([
      'The answer would be mostly noise: suffice study create refuses this study unless forced.',
      'What would help: fewer columns, a larger ε, or refinements in 1+4 rounds (--refinements 4).',
    ]);
  });
});

describe('an option', () => {
  const names = Object.keys(optionTexts) as OptionName[];

  it.each(names)('%s is said by flags and commands that there are', async (name) => {
    const { flags, commands } = await commandLine();
    for (const option of [{ name }, { name, value: 'create' }, { name, value: 'sealed' }]) {
      const text = withFlags('', option as Failure['option']);
      const said = [...text.matchAll(/--[a-z-]+/g)].map(([flag]) => flag);
      const called = [...text.matchAll(/suffice ([a-z-]+(?: [a-z]+)?)/g)].map(([, words]) => words);
      expect(said.length + called.length).toBeGreaterThan(0);
      expect(said.filter((flag) => !flags.has(flag))).toEqual([]);
      expect(called.filter((words) => !commands.has(words.split(' ')[0]))).toEqual([]);
    }
  });

  it('is put behind the advice, before its full stop and any facts', () => {
    const option = { name: 'ridge' } as const;
    expect(withFlags('Add a ridge.', option)).toBe('Add a ridge (--ridge).');
    expect(withFlags('add a ridge\n  3 rows were dropped', option)).toBe(
      'add a ridge (--ridge)\n  3 rows were dropped',
    );
    expect(withFlags('rename the column', undefined)).toBe('rename the column');
  });

  it('has a button on the join page where the page offers it', () => {
    expect(Object.keys(otherWays).sort()).toEqual(['decimal', 'encoding', 'missing']);
    const encoding = { name: 'encoding', value: 'latin1' } as const;
    expect(otherWay(encoding, { missing: 'drop', encoding: 'latin1' })).toBeUndefined();
    expect(otherWay({ name: 'missing' }, { missing: 'drop' })).toBeUndefined();
    expect(otherWay({ name: 'port' }, { missing: 'drop' })).toBeUndefined();
  });
});

const source = fileURLToPath(new URL('../src', import.meta.url));

describe('src/', () => {
  /** Texts that are no remedies: stories of the command line, reports, and names in CSS, V8 and hashes. */
  const stories = [
    'analysis/covariance.ts',
    'analysis/description.ts',
    'export/html-report.ts',
    'export/snippet-text.ts',
    'features/projection-choices.ts',
    'model/privacy-text.ts',
    'model/report.ts',
    'node/compute/relaxed-simd.ts',
    'node/files/npm-source.ts',
    'node/run/demo-helper.ts',
    'node/run/demo.ts',
    'site/audit-text.ts',
    'site/site-secret.ts',
  ];

  it('names a flag or a command in no remedy outside the command line', async () => {
    const { commands } = await commandLine();
    const call = new RegExp(`['\`][^'\`\\n]*\\bsuffice (${[...commands].join('|')})\\b`);
    const flag = /['`]([^'`\n]*[ (])?--[a-z]/;
    const flagged = readdirSync(source, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts') && !file.startsWith('cli/'))
      .filter((file) => {
        const text = readFileSync(join(source, file), 'utf8').replace(/\/\*\*.*?\*\//gs, '');
        return call.test(text) || flag.test(text);
      });
    expect(flagged.sort()).toEqual(stories);
  });
});

interface CommandLine {
  readonly flags: ReadonlySet<string>;
  readonly commands: ReadonlySet<string>;
}

/** Every flag and every command that the command line knows. */
async function commandLine(): Promise<CommandLine> {
  const program = await createProgram(Object.keys(commands), testIo().io);
  const all = (command: Command): Command[] => [command, ...command.commands.flatMap(all)];
  const flags = all(program).flatMap(({ options }) => options.map(({ long }) => long ?? ''));
  return { flags: new Set(flags), commands: new Set(program.commands.map((one) => one.name())) };
}
