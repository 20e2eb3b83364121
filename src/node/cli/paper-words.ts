import type { PaperEntry, PaperName, PaperProgram } from '../paper-program.ts';
import type { PaperFiles } from './paper-files.ts';
import { textTable } from './text-table.ts';

const names: readonly PaperName[] = ['ridge', 'fesc'];

/** What is told about experiments before they run: as JSON, and as text. */
export interface Told {
  readonly schema: string;
  readonly text: string;
}

/** The experiments and laws there are. */
export function paperList(program: PaperProgram): Told {
  const papers = names.map((paper) => ({
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
  const told = { schema: 'suffice/paper-list@1', papers, laws: program.laws, text };
  return told;
}

/** What would run, how long it would take, and what would be written. */
export function plannedWords(
  paper: PaperName,
  chosen: readonly PaperEntry[],
  files: PaperFiles | undefined,
): Told {
  const experiments = chosen.map(entryOnly);
  const seconds = experiments.reduce((total, one) => total + one.seconds, 0);
  const written = files === undefined ? [] : [files.page, files.json];
  const text = [
    '',
    `suffice paper ${paper} would run`,
    ...entryLines('', experiments),
    `about ${secondsText(seconds)} in all, on one core`,
    ...(written.length === 0 ? [] : [`would write ${written.join(' and ')}`]),
  ].join('\n');
  const told = { schema: 'suffice/paper-plan@1', paper, experiments, seconds, written, text };
  return told;
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
