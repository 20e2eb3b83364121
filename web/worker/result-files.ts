import type { Answered } from '../../src/analysis/question.ts';
import type { NamedTopic } from '../../src/analysis/topics.ts';
import { reportJson } from '../../src/model/report.ts';
import { loadStudyFiles } from '../../src/rows/load-pinned.ts';
import { finiteJson } from '../../src/text/finite-json.ts';
import { blobHost } from './blob-host.ts';
import { answersFromTotal } from './exploration.ts';
import { exportedModel, type LoadedResult, loadedResult } from './loaded-result.ts';
import { resultMarkdown } from './result-markdown.ts';

/** A file made in the tab. */
export interface MadeFile {
  readonly name: string;
  readonly type: string;
  readonly content: string | Uint8Array<ArrayBuffer>;
}

/** Every file that a result can be downloaded as. */
export type FileKind =
  | 'signed'
  | 'report'
  | 'tidy'
  | 'glance'
  | 'markdown'
  | 'model'
  | 'r'
  | 'python'
  | 'onnx'
  | 'html';

interface Maker {
  readonly name: string;
  readonly type: string;
  make(result: LoadedResult, answers: Asking): Promise<string | Uint8Array>;
}

type Asking = (...questions: readonly NamedTopic[]) => readonly Answered[];

/** Each maker loads its code only when it is used. */
const makers: Readonly<Record<FileKind, Maker>> = {
  signed: {
    name: 'resolution.json',
    type: 'application/json',
    make: async ({ resolution }) => `${JSON.stringify(resolution, null, 2)}\n`,
  },
  report: {
    name: 'report.json',
    type: 'application/json',
    make: async (result) => `${reportJson(exportedModel(result).report)}\n`,
  },
  tidy: {
    name: 'coefficients.csv',
    type: 'text/csv',
    make: async (result) =>
      (await import('../../src/export/tidy-csv.ts')).tidyCsv(result.resolution.report),
  },
  glance: {
    name: 'glance.csv',
    type: 'text/csv',
    make: async (result) =>
      (await import('../../src/export/tidy-csv.ts')).glanceCsv(result.resolution.report),
  },
  markdown: {
    name: 'result.md',
    type: 'text/markdown',
    make: async (result) => resultMarkdown(result),
  },
  model: {
    name: 'model.json',
    type: 'application/json',
    make: async (result, asking) =>
      (await import('../../src/export/model-json.ts')).modelJson(
        exportedModel(result, asking('covariance')),
      ),
  },
  r: {
    name: 'model.R',
    type: 'text/plain',
    make: async (result) =>
      (await import('../../src/export/r-snippet.ts')).rSnippet(exportedModel(result)),
  },
  python: {
    name: 'model.py',
    type: 'text/plain',
    make: async (result) =>
      (await import('../../src/export/python-snippet.ts')).pythonSnippet(exportedModel(result)),
  },
  onnx: {
    name: 'model.onnx',
    type: 'application/octet-stream',
    make: async (result) => {
      const model = exportedModel(result);
      await loadStudyFiles(model.study, blobHost);
      return (await import('../../src/export/onnx.ts')).onnx(model);
    },
  },
  html: {
    name: 'report.html',
    type: 'text/html',
    make: async (result, asking) => {
      const { htmlReport } = await import('../../src/export/html-report.ts');
      const topics = ['anova', 'description', 'standardized', 'collinearity', 'path'] as const;
      return htmlReport(exportedModel(result, asking(...topics, 'partial-correlations')));
    },
  },
};

/** Makes one of the files. Parts that need the total are included if the total is loaded. */
export async function makeFile(study: string, number: number, kind: FileKind): Promise<MadeFile> {
  const { name, type, make } = makers[kind];
  const result = loadedResult(study, number);
  const asking: Asking = (...topics) => {
    if (result.total === undefined || 'none' in result.agreed.method.questions) return [];
    const questions = topics.map((about) => ({ about }));
    return finite(answersFromTotal(study, number, questions));
  };
  const made = await make(result, asking);
  const content = typeof made === 'string' ? made : new Uint8Array(made);
  return { name: `${fileStem(result)}-${name}`, type, content };
}

/** The answers as the coordinator would send them: without numbers that JSON cannot hold. */
function finite(answers: readonly Answered[]): readonly Answered[] {
  return JSON.parse(finiteJson(answers));
}

function fileStem({ resolution }: LoadedResult): string {
  const { study, number } = resolution;
  const stem = (study.name ?? 'study').toLowerCase().replace(/[^a-z0-9]+/g, '-');
  return `${stem.replace(/^-+|-+$/g, '') || 'study'}-${number}`;
}
