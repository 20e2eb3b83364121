import { canonicalJson } from './canonical-json.ts';
import type { ParentStudy, Study } from './study.ts';

/** What a region decides for itself: its name, who adds its sites’ statistics, and when it is complete. */
export type RegionTerms = Pick<Study, 'name' | 'aggregation' | 'quorum'>;

/**
 * The study of a region: that of its parent, and so the same layout, with the region’s own sites, quorum and aggregation. It names its
 * parents, so its digest differs from theirs, no study can be above itself, and every site sees where its sum goes.
 */
export function regionalStudy(parent: Study, place: ParentStudy, own: RegionTerms = {}): Study {
  return { ...commonTerms(parent), ...own, parents: [place, ...(parent.parents ?? [])] };
}

/** Whether a study is one of a region of this parent, at this place. */
export function isRegionOf(study: Study, parent: Study, place: ParentStudy): boolean {
  const { name, aggregation, quorum } = study;
  const expected = { ...commonTerms(parent), parents: [place, ...(parent.parents ?? [])] };
  return (
    canonicalJson({ ...commonTerms(study), parents: study.parents }) === canonicalJson(expected) &&
    canonicalJson({ ...expected, name, aggregation, quorum }) === canonicalJson(study)
  );
}

/** The terms that a region has from its parent. */
function commonTerms(study: Study): Study {
  const { name: _, aggregation: __, quorum: ___, parents: ____, ...terms } = study;
  return terms as Study; // a union without four optional members
}
