import type { Command } from 'commander';
import type { ProjectionFeature, Study } from '../../study/study.ts';
import { UsageError } from '../usage-error.ts';

export interface ProjectionFlag {
  readonly projection?: string;
}

const USUAL_SEED = 1;
const LARGEST_DIMENSION = 5000;

export function withProjection(command: Command): Command {
  return command.option(
    '--projection <dimension[,seed]>',
    'send sums of this many random projections of the columns instead of the columns; fewer bytes, and what lies outside is lost (seed: 1)',
  );
}

/** The feature map of a new study, if one was asked for. */
export function featuresOf({ projection }: ProjectionFlag): Pick<Study, 'features'> {
  if (projection === undefined) return {};
  const parts = /^(\d+)(?:,(\d+))?$/.exec(projection.replaceAll(' ', ''));
  const dimension = Number(parts?.[1]);
  const seed = Number(parts?.[2] ?? USUAL_SEED);
  if (!(dimension >= 1 && dimension <= LARGEST_DIMENSION && seed < 2 ** 32)) {
    throw new UsageError(
      `--projection must be a dimension from 1 to ${LARGEST_DIMENSION}, and a seed below 2³²: ${projection}`,
      'try --projection 50 or --projection 50,7',
    );
  }
  const feature: ProjectionFeature = { kind: 'projection', dimension, seed };
  return { features: [feature] };
}
