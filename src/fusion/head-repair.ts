import { DataError } from '../data-error.ts';
import { networkMap } from '../features/network-map.ts';
import type { Report } from '../model/report.ts';
import { reportedMap } from '../model/reported-map.ts';
import type { Feature, Study } from '../study/study.ts';

/** Fewest bits of the grid: the bounds of a network's features are wide, and 22 bits leave two digits of a LeNet's last layer. */
const FINE_GRID = 44;

/**
 * The study that fits the last layer of a fused network anew, exactly: ridge regression on what that layer takes. `report` is that
 * of the fusion.
 */
export function headStudy(study: Study, report: Report): Study {
  const reported = reportedMap(report);
  if (reported?.map.kind !== networkMap.kind) {
    throw new DataError(
      'the report has no network, so there is no last layer to fit anew',
      {},
      'give the report of a study that fused networks',
    );
  }
  return {
    ...study,
    fusion: { kind: 'ridge', ridge: 'gcv' },
    features: [reported.terms as Feature],
    grid: study.grid === undefined || study.grid < FINE_GRID ? FINE_GRID : study.grid,
  };
}
