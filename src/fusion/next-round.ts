import { defined } from '../defined.ts';
import type { Failure } from '../failure.ts';
import { studyDesign } from '../features/study-design.ts';
import type { Report } from '../model/report.ts';
import { type GlmFusion, isFusion, type ResolutionName, type TableStudy } from '../study/study.ts';

/**
 * The study of one more round: sites expand their likelihoods about these coefficients, without a prior. Aliased terms,
 * which have no coefficient, start from 0. `from` names the resolution that the coefficients are of.
 */
export function refine(
  study: TableStudy,
  coefficients: Readonly<Record<string, number>>,
  from?: ResolutionName,
): TableStudy {
  const { fusion } = study;
  if (!isFusion<GlmFusion>(fusion, ['glm', 'fisher'])) {
    throw new RangeError(`only a glm fusion has further rounds: ${fusion.kind}`);
  }
  const { columns, responses } = studyDesign(study, 'indicator');
  const terms = columns.slice(0, columns.length - responses).map(({ name }) => name);
  const at = Object.fromEntries(terms.map((name) => [name, coefficients[name] ?? 0]));
  const { kind, family, remainder, ridge, errors, without } = fusion;
  return {
    ...study,
    fusion: {
      kind,
      family,
      ...defined({ remainder, ridge, errors, without }),
      at,
      ...defined({ from }),
    },
  };
}

/** The study of the next private round: sites send a gradient at the coefficients of the report. */
export function nextPrivateRound(study: TableStudy, report: Report): TableStudy | Failure {
  const { privacy } = study;
  if (!privacy || report.privacy === undefined) {
    return {
      problem: 'the study is not private: it has no private rounds',
      remedy: 'give the model of a study with privacy',
    };
  }
  const { next } = report.privacy;
  if (next === undefined) {
    const { rounds = 0 } = privacy;
    return {
      problem:
        rounds === 0 ? 'the study plans no further round' : `all ${rounds + 1} rounds are done`,
      remedy:
        'the budget of the study is spent: rounds must be planned ("rounds" of privacy) before the first',
    };
  }
  const { refinement: _, ...terms } = privacy;
  return { ...study, privacy: { ...terms, refinement: next } };
}
