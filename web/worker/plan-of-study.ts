import { defined } from '../../src/defined.ts';
import { parseStudy } from '../../src/fusion/study-schema.ts';
import type { Codebook } from '../../src/study/codebook.ts';
import { isImageStudy } from '../../src/study/image-study.ts';
import { parseCodebook } from '../../src/study/schema.ts';
import type { PrivacyTerms, Study, TableStudy } from '../../src/study/study.ts';
import { tableStudy } from '../../src/study/table-study.ts';
import { methodOfFusion } from './method-kinds.ts';
import { columnPlanOf, emptyPlan, type PlannedPrivacy, type StudyPlan } from './plan.ts';
import { addingOf } from './planned-adding.ts';

/** The plan of a study or of a codebook, from its JSON. Throws if it is neither. */
export function planOfJson(text: string, before: StudyPlan): StudyPlan {
  const json: unknown = JSON.parse(text);
  const isStudy = typeof json === 'object' && json !== null && 'schema' in json;
  if (isStudy) return { ...planOfAny(parseStudy(json)), ...kept(before), loaded: text };
  const { loaded: _, ...rest } = before;
  return { ...rest, codebook: 'written', columns: columnPlans(parseCodebook(json)) };
}

function planOfAny(study: Study): StudyPlan {
  if (!isImageStudy(study)) return planOfStudy(tableStudy(study));
  const { data, features, ...terms } = study;
  const { kind: _, classes, ...form } = data;
  const plan = planOfStudy({ ...terms, formula: '', codebook: {} });
  const more = { ...plan.more, study: { ...plan.more.study, ...defined({ features }) } };
  return { ...plan, images: { ...form, classes: classes.join('\n') }, more };
}

/** Fields of the form that are not part of a study. */
function kept({
  sites,
  draft,
  expires,
}: StudyPlan): Pick<StudyPlan, 'sites' | 'draft' | 'expires'> {
  return { sites, draft, expires };
}

function columnPlans(codebook: Codebook): StudyPlan['columns'] {
  return Object.fromEntries(
    Object.entries(codebook).map(([name, column]) => [name, columnPlanOf(column)]),
  );
}

function planOfStudy(study: TableStudy): StudyPlan {
  const { schema: _, name, formula, codebook, weights, fusion, quorum, ...rest } = study;
  const { privacy, disclosure, aggregation, ...more } = rest;
  const { method, unshown } = methodOfFusion(fusion);
  const thresholds = disclosure?.thresholds;
  const refinement = privacy?.refinement;
  return {
    ...emptyPlan,
    name: name ?? '',
    formula,
    codebook: 'written',
    columns: columnPlans(codebook),
    method,
    weights: weights ?? '',
    disclosure: disclosure?.profile ?? 'default',
    privacy: privacy ? privacyOf(privacy) : emptyPlan.privacy,
    adding: addingOf(aggregation, emptyPlan.adding),
    quorum: quorum?.sites === undefined ? '' : String(quorum.sites),
    deadline: quorum?.deadline ?? '',
    more: {
      study: more,
      ...defined({ fusion: unshown }),
      ...(thresholds === undefined ? {} : { disclosure: { thresholds } }),
      ...(refinement === undefined ? {} : { privacy: { refinement } }),
    },
  };
}

function privacyOf(terms: PrivacyTerms): PlannedPrivacy {
  const text = (value: number | undefined) => (value === undefined ? '' : String(value));
  return {
    ...emptyPlan.privacy,
    kind: 'noise',
    epsilon: String(terms.epsilon),
    delta: String(terms.delta),
    unit: terms.unit,
    person: terms.person ?? '',
    rowsPerPerson: text(terms.rowsPerPerson ?? 1),
    neighbours: terms.neighbours ?? 'add-remove',
    placement: terms.placement ?? 'central',
    protects: terms.protects ?? 'rows',
    releases: text(terms.releases),
    rounds: text(terms.rounds),
    expectedRows: text(terms.expectedRows),
    solver: terms.solver ?? 'cleaner',
  };
}
