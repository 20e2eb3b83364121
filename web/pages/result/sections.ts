import type { ResultSection } from '../../../src/fusion/method.ts';
import type { ShownResult } from '../../worker/result-overview.ts';
import type { LaterSection, SectionName } from './section.tsx';

/** The sections that are shown at once; none if the report has no coefficients. */
export function firstSections({
  responses,
  hasFormula,
  images,
  network,
}: ShownResult): readonly SectionName[] {
  if (responses.length === 0 || network !== undefined) return [];
  if (images) return [{ id: 'classes', title: 'Classes' }];
  if (!hasFormula) return [{ id: 'coefficients', title: 'Estimates' }];
  return [
    { id: 'effects', title: 'Effects' },
    { id: 'coefficients', title: 'Coefficients' },
  ];
}

/** The sections that are loaded while scrolling: those of the method, then those of every result. */
export function laterSections(shown: ShownResult, forSite: boolean): readonly LaterSection[] {
  const setting: Setting = {
    shown,
    exact: !forSite && !shown.isPrivate,
    linear: shown.questions === 'sums',
  };
  return [
    ...shown.sections.map((id) => ({ id, ...methodSections[id](setting) })),
    ...Object.entries(everySection).map(([id, section]) => ({ id, ...section(setting) })),
  ];
}

/** What the text and the size of a section depend on. */
interface Setting {
  readonly shown: ShownResult;
  /** The exact sums are available. Otherwise a section only says why it is empty, and needs no further text. */
  readonly exact: boolean;
  /** The sums are those of a linear regression. */
  readonly linear: boolean;
}

type SectionOf = (setting: Setting) => Omit<LaterSection, 'id'>;

/** Sections of single methods. A new one is an entry here and a file beside. */
const methodSections: Readonly<Record<ResultSection, SectionOf>> = {
  network: () => ({
    title: 'The network',
    reserve: 'long',
    load: async () => (await import('./network.tsx')).NetworkSection,
  }),
  trace: ({ shown, exact, linear }) => ({
    title: shown.resolution.report.lasso === undefined ? 'Ridge trace' : 'Lasso path',
    about: exact
      ? 'How does the model change with the penalty? Move the slider: the model is solved again, exactly, in this tab. Nothing is sent.'
      : undefined,
    reserve: exact && linear ? 'long' : 'note',
    load: async () => (await import('./exploration.tsx')).ExplorationSection,
  }),
  selection: ({ exact, linear }) => ({
    title: 'Choice of the penalty',
    reserve: exact && linear ? 'chart' : 'note',
    load: async () => (await import('./selection.tsx')).Selection,
  }),
  agreement: ({ exact }) => ({
    title: 'Do the sites agree?',
    about: exact
      ? 'Each site’s own estimates, their mean weighted by precision, the model’s estimate beside it, and how the model changes without each site.'
      : undefined,
    reserve: 'note',
    load: async () => (await import('./agreement.tsx')).AgreementSection,
  }),
  columns: ({ exact }) => ({
    title: 'Columns and terms',
    about: exact ? 'Summaries of the pooled columns, without their rows.' : undefined,
    reserve: exact ? 'chart' : 'note',
    load: async () => (await import('./columns.tsx')).Columns,
  }),
  weights: () => ({
    title: 'Weights of the sites',
    about: 'How much each site’s own coefficients count in the average.',
    reserve: 'note',
    load: async () => (await import('./weights.tsx')).Weights,
  }),
};

/** Sections of every result, in order. */
const everySection: Readonly<Record<string, SectionOf>> = {
  traffic: () => ({
    title: 'What each site sent',
    reserve: 'note',
    load: async () => (await import('./traffic.tsx')).TrafficSection,
  }),
  certificate: () => ({
    title: 'Certificate',
    about: 'What this page checked before it showed you a number.',
    reserve: 'long',
    load: async () => (await import('./certificate.tsx')).Certificate,
  }),
  limits: ({ shown: { unavailable, questions } }) => ({
    title: unavailable[0],
    reserve: questions === 'none' ? 'note' : 'chart',
    load: async () => (await import('./limits.tsx')).Limits,
  }),
  files: () => ({
    title: 'Downloads',
    about: 'This tab makes every file from the checked result.',
    reserve: 'chart',
    load: async () => (await import('./files.tsx')).FilesSection,
  }),
};
