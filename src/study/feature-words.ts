import type { Study } from './study.ts';

/** What is done to the columns before they are summed, to stand behind the method; nothing where nothing is. */
export function featureWords({ features = [] }: Pick<Study, 'features'>): string {
  return features
    .map(({ dimension }) =>
      dimension === 1
        ? ', on a random projection of the columns'
        : `, on ${dimension} random projections of the columns`,
    )
    .join('');
}
