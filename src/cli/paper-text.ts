import type { PaperEntry, PaperProgram, PaperProgramName } from '../node/run/paper-program.ts';
import type { PaperFiles } from './paper-files.ts';
import { textTable } from './terminal-text.ts';

export const paperNames: readonly PaperProgramName[] = ['ridge', 'fesc', 'images', 'fisher'];

/** A list or a plan of experiments: as JSON, and as text. */
export interface PaperProgress {
  readonly schema: string;
  readonly text: string;
}

/** All experiments and laws. */
export function paperList(program: PaperProgram): PaperProgress {
  const papers = paperNames.map((paper) => ({
    paper,
    title: program.titles[paper],
    experiments: program.entries(paper).map(entryOnly),
  }));
  const width = Math.max(...program.laws.map(({ name }) => name.length));
  const text = [
    ...papers.flatMap(({ paper, title, experiments }) => [
      '',
      `suffice paper ${paper}  ${title}`,
      ...entryLines('--experiment', experiments),
    ]),
    '',
    '  --law',
    ...program.laws.map(({ name, title }) => `  ${name.padEnd(width)}  ${title}`),
  ].join('\n');
  return { schema: 'suffice/paper-list@1', papers, laws: program.laws, text } as PaperProgress;
}

/** What would run, how long it would take, and what would be written. */
export function plannedText(
  { threads }: PaperProgram,
  paper: PaperProgramName,
  chosen: readonly PaperEntry[],
  files: PaperFiles | undefined,
): PaperProgress {
  const experiments = chosen.map(entryOnly);
  const seconds = experiments.reduce((total, one) => total + one.seconds, 0);
  const written = files === undefined ? [] : [files.page, files.json];
  const text = [
    '',
    `suffice paper ${paper} would run`,
    ...entryLines('', experiments),
    `about ${secondsText(seconds)} in all, on ${threads[paper] === 1 ? 'one core' : `${threads[paper]} cores`}`,
    ...(written.length === 0 ? [] : [`would write ${written.join(' and ')}`]),
  ].join('\n');
  return {
    schema: 'suffice/paper-plan@1',
    paper,
    experiments,
    seconds,
    written,
    text,
  } as PaperProgress;
}

const entryOnly = ({ id, title, seconds }: PaperEntry): PaperEntry => ({ id, title, seconds });

function entryLines(heading: string, entries: readonly PaperEntry[]): string[] {
  const rows = [{ id: heading, title: '', about: 'about' }, ...entries.map(about)];
  const width = Math.max(...rows.map(({ id }) => id.length));
  return textTable(rows.map((row) => [`  ${row.id.padEnd(width)}  ${row.title}`, row.about]));
}

function about({ id, title, seconds }: PaperEntry) {
  return { id, title, about: secondsText(seconds) };
}

function secondsText(seconds: number): string {
  if (seconds < 1) return 'under 1 s';
  return seconds < 90 ? `${Math.ceil(seconds)} s` : `${Math.ceil(seconds / 60)} min`;
}
