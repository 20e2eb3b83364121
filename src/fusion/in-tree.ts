import { DataError } from '../data-error.ts';
import type { Failure } from '../failure.ts';
import { shapeOf } from '../statistic/layout.ts';
import { hasPackedEntries } from '../statistic/packed-entries.ts';
import type { ParentStudy } from '../study/study.ts';
import type { Method } from './method.ts';

/** The method of a region, whose sum goes on: its sites see so. Refuses a method whose sum over a region cannot stand for its sites. */
export function inTree(method: Method, parents: readonly ParentStudy[] | undefined): Method {
  if (parents === undefined) return method;
  const why = whyNotInTree(method);
  if (why !== undefined) throw new DataError(why.problem, {}, why.remedy);
  // The next round of a region is a region of the next round above.
  const { rounds: _, text, ...rest } = method;
  return { ...rest, text: { ...text, whoSees: [...text.whoSees, ...goesOnText(parents)] } };
}

/** Why a region cannot take part in a study with this method as one site, if so. */
export function whyNotInTree({
  layout,
  needsSites,
  noise,
}: Pick<Method, 'layout' | 'needsSites' | 'noise'>): Failure | undefined {
  if (noise !== undefined) {
    return {
      problem:
        'the study is private, and a region cannot take part in it: noise is counted by site, and a region would be counted as one',
      remedy: 'invite the sites to the private study itself',
    };
  }
  if (needsSites) {
    return {
      problem:
        'the method needs the statistic of each site, and a region sends the sum over its sites',
      remedy:
        'take a method that needs only the sum (classical errors, no site effects, a ridge by GCV), or invite the sites to the study itself',
    };
  }
  if (hasPackedEntries(shapeOf(layout))) {
    return {
      problem: 'the numbers of the study are compressed, and a sum of them has no room to go on',
      remedy: 'leave out the compression, or invite the sites to the study itself',
    };
  }
  return undefined;
}

/** Where the sum over the sites goes, level by level. */
export function goesOnText(parents: readonly ParentStudy[]): string[] {
  return parents.map(({ study, site, coordinator }, level) => {
    const what =
      level === 0
        ? 'The sum over the sites of this study, and the number of rows in it, goes on'
        : 'From there a sum over more sites goes on';
    return `${what} as ${site} to study ${study.slice('sha256:'.length, 'sha256:'.length + 16)} at ${new URL(coordinator).host}.`;
  });
}

/** Why a region has no next round of its own. */
export const nextAbove: Failure = {
  problem: 'the study is one of a region: its next round follows from the study above',
  remedy: 'open the next round there; then make the study of the region again, for that round',
};
