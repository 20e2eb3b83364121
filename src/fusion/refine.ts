import { studyDesign } from '../features/study-design.ts';
import { type GlmFusion, isFusion, type TableStudy } from '../study/study.ts';

/**
 * The same study for one more round: sites expand their likelihoods about these coefficients, without a
 * prior. Terms that were aliased, and so have none, start from 0.
 */
export function refine(
  study: TableStudy,
  coefficients: Readonly<Record<string, number>>,
): TableStudy {
  const { fusion } = study;
  if (!isFusion<GlmFusion>(fusion, ['glm', 'fisher'])) {
    throw new RangeError(`only a glm fusion has further rounds: ${fusion.kind}`);
  }
  const { columns, responses } = studyDesign(study, 'indicator');
  const terms = columns.slice(0, columns.length - responses).map(({ name }) => name);
  const at = Object.fromEntries(terms.map((name) => [name, coefficients[name] ?? 0]));
  return { ...study, fusion: { kind: fusion.kind, family: fusion.family, at } };
}
