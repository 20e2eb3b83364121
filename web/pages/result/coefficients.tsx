import type { ComponentChildren } from 'preact';
import { baselinesText } from '../../../src/features/term-text.ts';
import type { TermRow } from '../../../src/model/inference.ts';
import { ratioColumns, ratioScales } from '../../../src/model/ratios.ts';
import { type DataCell, DataTable, type TableColumn } from '../../ui/data-table.tsx';
import type { ShownResult } from '../../worker/result-overview.ts';
import { numberCell, pCell } from './number-text.ts';
import { Section } from './section.tsx';
import { columnText, twoNamesCell } from './term-name.tsx';

interface Column extends TableColumn {
  readonly cell: (row: TermRow) => DataCell;
}

/** All terms in a table that can be sorted and copied. */
export function Coefficients({
  shown,
  response,
  children,
}: {
  readonly shown: ShownResult;
  readonly response: number;
  readonly children: ComponentChildren;
}) {
  const { report } = shown.resolution;
  const { terms, response: name, text } = shown.responses[response];
  const what = shown.hasFormula ? 'Coefficients' : 'Estimates';
  const columns = columnsFor(terms, shown);
  const baselines = baselinesText(shown.names);
  const aboutErrors = errorText(shown, terms);
  const undefinedTerms = report.aliased.map((term) => ({ term, estimate: Number.NaN }));
  return (
    <Section
      id="coefficients"
      title={name === '' ? what : `${what} of ${columnText(shown.names, name)}`}
      about={text.join(' ')}
    >
      <DataTable
        label={what}
        columns={columns}
        rows={[...terms, ...undefinedTerms].map((row) => columns.map(({ cell }) => cell(row)))}
        sortable
        copyable
        tall={terms.length > 16}
      />
      <div class="stack small soft">
        {baselines !== undefined && <p>Levels are compared with a baseline: {baselines}.</p>}
        {aboutErrors !== undefined && <p>{aboutErrors}</p>}
        {report.aliased.length > 0 && (
          <p>
            Not defined, because{' '}
            {report.aliased.length === 1 ? 'it is a combination' : 'they are combinations'} of other
            terms: {report.aliased.map((term) => columnText(shown.names, term)).join(', ')}.
          </p>
        )}
        <p>Shown with five digits; copies have all digits.</p>
      </div>
      {children}
    </Section>
  );
}

/** The columns that have a value for at least one term. */
function columnsFor(terms: readonly TermRow[], { resolution, names }: ShownResult): Column[] {
  const { family, freedom } = resolution.report;
  const number = (
    name: string,
    of: (row: TermRow) => number | undefined,
    digits?: number,
  ): Column => ({
    name,
    numeric: true,
    cell: (row) => numberCell(of(row), digits),
  });
  const scale = family && ratioScales[family];
  const all: readonly Column[] = [
    ...ratioColumns(scale).map(({ name, of }) => number(name, of, 4)),
    number(scale?.log ?? 'Estimate', ({ estimate }) => estimate),
    number('Std. error', (row) => row['std.error']),
    number(freedom === 'normal' ? 'z' : 't', ({ statistic }) => statistic, 4),
    { name: 'p', numeric: true, cell: (row) => pCell(row['p.value']) },
    ...(scale === undefined
      ? [number('2.5 %', (row) => row['conf.low']), number('97.5 %', (row) => row['conf.high'])]
      : []),
    number('VIF', ({ vif }) => vif, 3),
  ];
  return [
    { name: 'Term', cell: ({ term }) => twoNamesCell(term, columnText(names, term)) },
    ...all.filter(({ cell }) => terms.some((row) => cell(row).value !== null)),
  ];
}

/** What the standard errors assume, or why there are none; undefined if the report does not say. */
function errorText(
  { resolution, questions }: ShownResult,
  terms: readonly TermRow[],
): string | undefined {
  const { errors, privacy, lasso, family, estimates } = resolution.report;
  switch (errors) {
    case 'classical':
      return family === undefined
        ? 'Standard errors assume one variance for all rows, as lm() does.'
        : 'Standard errors come from the Fisher information, as those of glm() do.';
    case 'widened':
      return 'Standard errors are widened: tests and intervals allow for the distance from the pooled regression.';
    case 'clustered':
      return 'Standard errors are robust to correlation within sites (HC1).';
    case 'HC0':
    case 'HC1':
      return `Standard errors do not rely on the variance of the family (${errors}).`;
    case 'ignoring-bias':
      return 'Standard errors ignore the bias of the penalty, so there are no tests and no intervals.';
    case 'noise-aware':
      return 'Standard errors and intervals include the noise, and a margin for shrinkage and clipping.';
    case 'between-sites':
      return 'Standard errors come from the spread between the sites.';
    case 'within-sites':
      return 'Standard errors come from the covariances that the sites sent.';
    case undefined:
      if (estimates !== undefined)
        return 'There are no standard errors: no site sent its covariance, and fewer than three sites count.';
      if (privacy !== undefined)
        return `There are no standard errors, because ${privacy.withoutErrors ?? 'none would be valid'}.`;
      if (terms.some((row) => row['std.error'] !== undefined)) return undefined;
      if (questions === 'none' || resolution.report.classifier !== undefined)
        return 'There are no standard errors: the method gives none.';
      return lasso === undefined
        ? 'There are no standard errors: there are no residual degrees of freedom.'
        : 'A lasso has no standard errors: the same rows chose which slopes are zero.';
  }
}
