import type { Failure } from '../failure.ts';
import type { Report } from '../model/report.ts';
import type { TableStudy } from '../study/study.ts';

/** The same study for its next private round: sites send a gradient at the coefficients that the report found. */
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
