import type { ResultSection } from '../../../src/fusion/method.ts';
import type { ShownResult } from '../../desk/result-overview.ts';
import type { LaterSection, SectionName } from './section.tsx';

/** The parts that are there at once; none where the report has no coefficients. */
export function firstSections({ responses, hasFormula }: ShownResult): readonly SectionName[] {
  if (responses.length === 0) return [];
  if (!hasFormula) return [{ id: 'coefficients', title: 'Estimates' }];
  return [
    { id: 'effects', title: 'Effects' },
    { id: 'coefficients', title: 'Coefficients' },
  ];
}

/** The parts that are loaded when one comes to them: those of the method, then those of every result. */
export function laterSections(shown: ShownResult, forSite: boolean): readonly LaterSection[] {
  const setting = settingOf(shown, forSite);
  return [
    ...shown.sections.map((id) => ({ id, ...ofMethods[id](setting) })),
    ...Object.entries(ofEvery).map(([id, section]) => ({ id, ...section(setting) })),
  ];
}

/** What a part's words and its height depend on. */
interface Setting {
  readonly shown: ShownResult;
  /** Exact sums can be looked at: elsewhere a part only says why it is empty, and words about its content would mislead. */
  readonly exact: boolean;
  /** The sums are those of a linear regression. */
  readonly linear: boolean;
  readonly terms: number;
  /** Pixels of a table of the terms. */
  readonly table: number;
  readonly sites: number;
}

const ROW = 37;
const MOST_TALL = 512;
const MOST_ROWS = 12;
const NOTICE = [148, 74] as const;

function settingOf(shown: ShownResult, forSite: boolean): Setting {
  const terms = shown.responses[0]?.terms.length ?? 0;
  return {
    shown,
    exact: !forSite && !shown.isPrivate,
    linear: shown.questions === 'sums',
    terms,
    table: terms > MOST_ROWS ? MOST_TALL : (terms + 1) * ROW,
    sites: shown.resolution.report.sites.length,
  };
}

/** A part as it stands on the page of a result. Its room is measured, not derived. */
type Shape = (setting: Setting) => Omit<LaterSection, 'id'>;

/** Parts that a method may have; a new one is a line here and a file beside. */
const ofMethods: Readonly<Record<ResultSection, Shape>> = {
  trace: ({ shown, exact, linear, table }) => ({
    title: shown.resolution.report.lasso === undefined ? 'Ridge trace' : 'Lasso path',
    about: exact
      ? 'What would the model be under another penalty? Move the slider: it is solved again, exactly, in this tab, and nothing is sent.'
      : undefined,
    room: exact && linear ? [840 + table, 665 + table] : NOTICE,
    load: async () => (await import('./exploration.tsx')).Exploration,
  }),
  selection: ({ exact, linear }) => ({
    title: 'Choice of the penalty',
    room: exact && linear ? [520, 516] : NOTICE,
    load: async () => (await import('./selection.tsx')).Selection,
  }),
  agreement: ({ exact }) => ({
    title: 'Do the sites agree?',
    about: exact
      ? 'Each site’s own estimates beside the pooled one, and what leaving a site out would change.'
      : undefined,
    room: exact ? [88, 40] : [98, 49],
    load: async () => (await import('./agreement.tsx')).Agreement,
  }),
  columns: ({ exact, linear, terms, table }) => ({
    title: 'Columns and terms',
    about: exact ? 'The pooled columns without their rows.' : undefined,
    room: !exact ? NOTICE : linear ? heatMapRoom(terms) : [150 + table, 130 + table],
    load: async () => (await import('./columns.tsx')).Columns,
  }),
  weights: ({ sites }) => ({
    title: 'Weights of the sites',
    about: 'How much each site’s own coefficients count in the average.',
    room: [(sites + 2) * ROW, (sites + 2) * ROW],
    load: async () => (await import('./weights.tsx')).Weights,
  }),
};

/** Parts of every result, in order. */
const ofEvery: Readonly<Record<string, Shape>> = {
  traffic: () => ({
    title: 'Bytes sent',
    room: [382, 208],
    load: async () => (await import('./traffic.tsx')).Traffic,
  }),
  certificate: ({ sites }) => ({
    title: 'Certificate',
    about: 'What this page has checked before it showed you a number.',
    room: [1370 + 130 * sites, 755 + ROW * sites],
    load: async () => (await import('./certificate.tsx')).Certificate,
  }),
  limits: ({ shown: { unavailable, questions }, linear }) => ({
    title: unavailable[0],
    room: questions === 'none' ? [174, 74] : linear ? [1052, 432] : [718, 395],
    load: async () => (await import('./limits.tsx')).Limits,
  }),
  files: ({ exact, shown: { hasFormula } }) => ({
    title: 'Take it along',
    about: 'Every file is made in this tab from what has been checked.',
    room: !hasFormula ? [430, 208] : exact ? [1094, 527] : [1230, 589],
    load: async () => (await import('./files.tsx')).Files,
  }),
};

function heatMapRoom(terms: number): LaterSection['room'] {
  const cells = Math.min(terms, 30);
  return [265 + 34 * cells, 112 + 34 * cells];
}
