import type { ShownResult } from '../../desk/result-overview.ts';
import type { LaterSection, SectionName } from './section.tsx';

/** The parts that are there at once. */
export const firstSections: readonly SectionName[] = [
  { id: 'effects', title: 'Effects' },
  { id: 'coefficients', title: 'Coefficients' },
];

/** The parts that are loaded when one comes to them. */
export function laterSections({ resolution, unavailable }: ShownResult): readonly LaterSection[] {
  const lasso = resolution.report.lasso !== undefined;
  return [
    {
      id: 'trace',
      title: lasso ? 'Lasso path' : 'Ridge trace',
      about:
        'What would the model be under another penalty? Move the slider: it is solved again, exactly, in this tab, and nothing is sent.',
      load: async () => (await import('./exploration.tsx')).Exploration,
    },
    {
      id: 'selection',
      title: 'Choice of the penalty',
      load: async () => (await import('./selection.tsx')).Selection,
    },
    {
      id: 'agreement',
      title: 'Do the sites agree?',
      about:
        'Each site’s own estimates beside the pooled one, and what leaving a site out would change.',
      load: async () => (await import('./agreement.tsx')).Agreement,
    },
    {
      id: 'columns',
      title: 'Columns and terms',
      about: 'The pooled columns without their rows.',
      load: async () => (await import('./columns.tsx')).Columns,
    },
    {
      id: 'traffic',
      title: 'Bytes sent',
      load: async () => (await import('./traffic.tsx')).Traffic,
    },
    {
      id: 'certificate',
      title: 'Certificate',
      about: 'What this page has checked before it showed you a number.',
      load: async () => (await import('./certificate.tsx')).Certificate,
    },
    {
      id: 'limits',
      title: unavailable[0],
      load: async () => (await import('./limits.tsx')).Limits,
    },
    {
      id: 'files',
      title: 'Take it along',
      about: 'Every file is made in this tab from what has been checked.',
      load: async () => (await import('./files.tsx')).Files,
    },
  ];
}
