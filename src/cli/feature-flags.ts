import type { Command } from 'commander';
import { featureMapOf, featureMaps } from '../features/feature-maps.ts';
import type { Feature, TableStudy } from '../study/study.ts';
import { UsageError } from '../usage-error.ts';

/** A feature map asked for by the option of its name. */
export type FeatureFlags = { readonly [Kind in Feature['kind']]?: string };

/** Adds an option for each feature map that has one. */
export function withFeatureFlags(command: Command): Command {
  for (const { kind, option } of Object.values(featureMaps)) {
    if (option !== undefined) command.option(`--${kind} ${option.form}`, option.description);
  }
  return command;
}

/** The feature map of a new study, if one was asked for. */
export function featuresOf(flags: FeatureFlags): Pick<TableStudy, 'features'> {
  const features = Object.values(featureMaps).flatMap(({ kind, option }) => {
    const value = flags[kind];
    if (option === undefined || value === undefined) return [];
    const terms = option.read(value.replaceAll(' ', ''));
    if (terms !== undefined) return [terms];
    throw new UsageError(
      `--${kind} must be ${option.rule}: ${value}`,
      `try ${option.examples.map((example) => `--${kind} ${example}`).join(' or ')}`,
    );
  });
  const [built, ...bases] = features
    .map((terms) => ({ terms, over: featureMapOf(terms).over }))
    .sort((a, b) => Number(b.over !== undefined) - Number(a.over !== undefined));
  if (bases.length === 1 && built.over !== undefined && bases[0].over === undefined) {
    return { features: [built.over(built.terms, bases[0].terms) as Feature] };
  }
  if (features.length > 1) {
    const asked = features.map(({ kind }) => `--${kind}`).join(', ');
    throw new UsageError(`a study has one feature map at most: ${asked}`, 'keep one of them');
  }
  return features.length === 0 ? {} : { features };
}
