import type { ShownResult } from '../../desk/result-overview.ts';
import type { LaterSection, SectionName } from './section.tsx';

/** The parts that are there at once. */
export const firstSections: readonly SectionName[] = [
  { id: 'effects', title: 'Effects' },
  { id: 'coefficients', title: 'Coefficients' },
];

/** The parts that are loaded when one comes to them. */
export function laterSections(shown: ShownResult, forSite: boolean): readonly LaterSection[] {
  const { resolution, unavailable } = shown;
  const averaged = resolution.report.estimates !== undefined;
  const lasso = resolution.report.lasso !== undefined;
  const room = roomOf(shown, forSite);
  // Where a part only says why it is empty, words about its content would mislead.
  const about = (words: string) => (forSite || resolution.study.privacy ? {} : { about: words });
  const ofSums: readonly LaterSection[] = [
    {
      id: 'trace',
      title: lasso ? 'Lasso path' : 'Ridge trace',
      ...about(
        'What would the model be under another penalty? Move the slider: it is solved again, exactly, in this tab, and nothing is sent.',
      ),
      room: room.trace,
      load: async () => (await import('./exploration.tsx')).Exploration,
    },
    {
      id: 'selection',
      title: 'Choice of the penalty',
      room: room.selection,
      load: async () => (await import('./selection.tsx')).Selection,
    },
    {
      id: 'agreement',
      title: 'Do the sites agree?',
      ...about(
        'Each site’s own estimates beside the pooled one, and what leaving a site out would change.',
      ),
      room: room.agreement,
      load: async () => (await import('./agreement.tsx')).Agreement,
    },
    {
      id: 'columns',
      title: 'Columns and terms',
      ...about('The pooled columns without their rows.'),
      room: room.columns,
      load: async () => (await import('./columns.tsx')).Columns,
    },
  ];
  const ofEstimates: LaterSection = {
    id: 'weights',
    title: 'Weights of the sites',
    about: 'How much each site’s own coefficients count in the average.',
    room: room.weights,
    load: async () => (await import('./weights.tsx')).Weights,
  };
  return [
    ...(averaged ? [ofEstimates] : ofSums),
    {
      id: 'traffic',
      title: 'Bytes sent',
      room: room.traffic,
      load: async () => (await import('./traffic.tsx')).Traffic,
    },
    {
      id: 'certificate',
      title: 'Certificate',
      about: 'What this page has checked before it showed you a number.',
      room: room.certificate,
      load: async () => (await import('./certificate.tsx')).Certificate,
    },
    {
      id: 'limits',
      title: unavailable[0],
      room: room.limits,
      load: async () => (await import('./limits.tsx')).Limits,
    },
    {
      id: 'files',
      title: 'Take it along',
      about: 'Every file is made in this tab from what has been checked.',
      room: room.files,
      load: async () => (await import('./files.tsx')).Files,
    },
  ];
}

const ROW = 37;
const MOST_TALL = 512;
const MOST_ROWS = 12;
const NOTICE = [148, 74] as const;

type Room = LaterSection['room'];

/** About the pixels each part takes, so that nothing moves much when it comes: measured, not derived. */
function roomOf({ resolution, responses }: ShownResult, forSite: boolean) {
  const { report, study } = resolution;
  const terms = responses[0].terms.length;
  const table = terms > MOST_ROWS ? MOST_TALL : (terms + 1) * ROW;
  const exact = !forSite && !study.privacy;
  const linear = report.family === undefined;
  const averaged = report.estimates !== undefined;
  const cells = Math.min(terms, 30);
  const sites = report.sites.length;
  const drawn = (room: Room): Room => (exact && linear ? room : NOTICE);
  return {
    trace: drawn([840 + table, 665 + table]),
    selection: drawn([520, 516]),
    agreement: exact ? ([88, 40] as const) : ([98, 49] as const),
    columns:
      exact && !linear
        ? ([150 + table, 130 + table] as const)
        : drawn([265 + 34 * cells, 112 + 34 * cells]),
    traffic: [382, 208] as const,
    certificate: [1370 + 130 * sites, 755 + ROW * sites] as const,
    weights: [(sites + 2) * ROW, (sites + 2) * ROW] as const,
    limits:
      study.privacy || averaged
        ? ([174, 74] as const)
        : linear
          ? ([1052, 432] as const)
          : ([718, 395] as const),
    files: exact ? ([1094, 527] as const) : ([1230, 589] as const),
  };
}
