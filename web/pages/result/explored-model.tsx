import type { TermTexts } from '../../../src/features/term-text.ts';
import type { Glance, TermRow } from '../../../src/model/inference.ts';
import type { Report } from '../../../src/model/report.ts';
import { significant } from '../../../src/text/number-text.ts';
import { CopyButton } from '../../ui/copy-button.tsx';
import { DataTable } from '../../ui/data-table.tsx';
import { Facts } from '../../ui/facts.tsx';
import { FailureNotice } from '../../ui/notice.tsx';
import type { ShownResult } from '../../worker/result-overview.ts';
import { numberCell } from './number-text.ts';
import { columnText, nameCell, shortText } from './term-name.tsx';
import type { Explored } from './use-explored.ts';

/** The coefficients with the penalty of the slider, beside the published ones. */
export function ExploredModel({
  shown,
  response,
  explored,
}: {
  readonly shown: ShownResult;
  readonly response: number;
  readonly explored: Explored | undefined;
}) {
  if (explored === undefined) return <div class="waiting" />;
  const { at, solved, failure } = explored;
  if (failure !== undefined) return <FailureNotice failure={failure} />;
  if (solved === undefined) return null;
  const { report, json } = solved;
  const { terms, glance } = answerOf(report, response);
  const published = new Map(shown.responses[response].terms.map((row) => [row.term, row]));
  const gcv = report.ridge?.gcv ?? gcvOf(glance);
  return (
    <div class="stack explored" data-penalty={at.penalty} data-scale={at.scale}>
      <Facts
        facts={[
          [
            at.kind === 'ridge' ? 'Ridge' : 'Lambda',
            at.penalty === 0 ? '0, least squares' : String(at.penalty),
          ],
          ['Effective df', shownNumber(report.ridge?.edf ?? effective(report, terms))],
          ['GCV', shownNumber(gcv)],
          ['R²', shownNumber(glance['r.squared'], 4)],
          ['Largest change', largestChange(terms, published, shown.names)],
        ]}
      />
      <DataTable
        label="Coefficients with this penalty"
        columns={[
          { name: 'Term' },
          { name: 'Here', numeric: true },
          { name: 'Published', numeric: true },
          { name: 'Change', numeric: true },
        ]}
        rows={terms.map(({ term, estimate }) => {
          const before = published.get(term)?.estimate;
          return [
            nameCell(term, columnText(shown.names, term)),
            numberCell(estimate),
            numberCell(before),
            numberCell(before === undefined ? undefined : estimate - before),
          ];
        })}
        sortable
        copyable
        tall={terms.length > 12}
      />
      <p class="row small soft">
        <span>
          <code>suffice fit {flagsOf(at, report)}</code> gives the same numbers, to the last bit.
        </span>
        <CopyButton text={() => json}>Copy this report as JSON</CopyButton>
      </p>
    </div>
  );
}

/** The flags of `suffice fit` for the same model. */
function flagsOf({ kind, penalty, scale }: Explored['at'], { lasso }: Report): string {
  if (kind === 'ridge') {
    return `--ridge ${penalty}${scale === 'standardized' ? ' --standardize' : ''}`;
  }
  const mix = lasso?.mix ?? 1;
  return `--lasso ${penalty}${mix === 1 ? '' : ` --mix ${mix}`}`;
}

function answerOf(report: Report, response: number): { terms: readonly TermRow[]; glance: Glance } {
  const { responses, terms = [], glance = { nobs: report.n } } = report;
  return responses?.[response] ?? { terms, glance };
}

/** n·RSS/(n − df)²; the report has no GCV for a penalty of 0. */
function gcvOf({ nobs, deviance, 'df.residual': left }: Glance): number | undefined {
  return deviance === undefined || !(left! > 0) ? undefined : (nobs * deviance) / left! ** 2;
}

function effective({ lasso }: Report, terms: readonly TermRow[]): number {
  if (lasso === undefined) return terms.length;
  return terms.filter(({ estimate }) => estimate !== 0).length;
}

function shownNumber(value: number | undefined, digits = 5): string {
  return value === undefined ? '–' : significant(value, digits);
}

/** In standard errors of the published coefficient, if it has one. */
function largestChange(
  terms: readonly TermRow[],
  published: ReadonlyMap<string, TermRow>,
  names: TermTexts,
): string {
  const changes = terms.flatMap(({ term, estimate }) => {
    const before = published.get(term);
    if (before === undefined || term === '(Intercept)') return [];
    const error = before['std.error'];
    const change = estimate - before.estimate;
    return [
      {
        term,
        change,
        size: error === undefined || error === 0 ? Math.abs(change) : Math.abs(change / error),
        error,
      },
    ];
  });
  const [most] = changes.sort((a, b) => b.size - a.size);
  if (most === undefined || most.change === 0) return 'none';
  return `${shortText(names, most.term)}, ${most.error === undefined ? significant(most.change, 3) : `${significant(most.size, 2)} SE`}`;
}
