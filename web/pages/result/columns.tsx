import { useState } from 'preact/hooks';
import type { Anova } from '../../../src/analysis/anova.ts';
import type { Collinearity } from '../../../src/analysis/collinearity.ts';
import type { DataDescription } from '../../../src/analysis/description.ts';
import type { PartialCorrelations } from '../../../src/analysis/partial-correlations.ts';
import type { Answered } from '../../../src/analysis/question.ts';
import type { TermTexts } from '../../../src/features/term-text.ts';
import { HeatMapChart } from '../../charts/heat-map.tsx';
import { Choice } from '../../ui/choice.tsx';
import { DataTable } from '../../ui/data-table.tsx';
import { FailureNotice, Notice, sentence } from '../../ui/notice.tsx';
import { useAnswer } from '../../ui/use-answer.ts';
import { call } from '../../worker/call.ts';
import { NeedsTotal } from './needs-total.tsx';
import { numberCell, pCell } from './number-text.ts';
import { placeOf, type SectionProps } from './section-props.ts';
import { columnText, nameCell, shortText, termText } from './term-name.tsx';

const looks = [
  ['correlations', 'Correlations'],
  ['description', 'Means and SDs'],
  ['collinearity', 'Collinearity'],
  ['anova', 'Tests of terms'],
  ['partial-correlations', 'Partial correlations'],
] as const;

type Look = (typeof looks)[number][0];

/** Summaries of the pooled columns and terms, computed from the total in the tab. */
export function Columns(props: SectionProps) {
  const { total, shown } = props;
  const glm = shown.questions === 'information';
  const [look, setLook] = useState<Look>(glm ? 'anova' : 'correlations');
  return (
    <NeedsTotal total={total} what="Correlations, means and tests of terms">
      {() => (
        <div class="stack">
          {!glm && (
            <p>
              <Choice label="Table" value={look} options={looks} onChange={setLook} />
            </p>
          )}
          <LookedAt {...props} look={look} />
        </div>
      )}
    </NeedsTotal>
  );
}

function LookedAt({ shown, response, look }: SectionProps & { readonly look: Look }) {
  const name = shown.responses[response].response;
  const about = look === 'correlations' ? 'description' : look;
  const { value, failure } = useAnswer(
    () =>
      call('loadTotalAnswers', [
        ...placeOf(shown),
        [{ about, ...(name === '' ? {} : { response: name }) }],
      ]).then(([answer]) => ({ look, answer })),
    [shown.digest, look, name],
  );
  if (failure !== undefined) return <FailureNotice failure={failure} />;
  if (value === undefined || value.look !== look) return <div class="waiting" />;
  const { answer } = value;
  if (answer === undefined) return null;
  if ('problem' in answer) {
    return (
      <Notice kind="info" title={sentence(answer.problem)}>
        <p>{sentence(answer.advice)}</p>
      </Notice>
    );
  }
  return (
    <>
      {look === 'anova' && !shown.fromTotal && (
        <p class="small soft">
          These tests assume one variance for all rows and one intercept; the published model does
          not. Tests of the published model need each site’s sums: suffice report --show anova.
        </p>
      )}
      <Answer look={look} answer={answer} names={shown.names} />
    </>
  );
}

function Answer({
  look,
  answer,
  names,
}: {
  readonly look: Look;
  readonly answer: Answered;
  readonly names: TermTexts;
}) {
  switch (look) {
    case 'correlations':
      return <Correlations description={answer as DataDescription} names={names} />;
    case 'description':
      return (
        <DataTable
          label="Means and standard deviations"
          columns={[
            { name: 'Column' },
            { name: 'Mean', numeric: true },
            { name: 'SD', numeric: true },
          ]}
          rows={(answer as DataDescription).columns.map(({ column, mean, sd }) => [
            nameCell(column, columnText(names, column)),
            numberCell(mean),
            numberCell(sd),
          ])}
          sortable
          copyable
          tall
        />
      );
    case 'collinearity':
      return <Inflation collinearity={answer as Collinearity} names={names} />;
    case 'anova':
      return <TermTests anova={answer as Anova} names={names} />;
    case 'partial-correlations':
      return (
        <DataTable
          label="Partial correlations with the response"
          columns={[
            { name: 'Term' },
            { name: 'Partial', numeric: true },
            { name: 'Semipartial', numeric: true },
            { name: 'p', numeric: true },
          ]}
          rows={(answer as PartialCorrelations).terms.map((row) => [
            nameCell(row.term, columnText(names, row.term)),
            numberCell(row.partial, 4),
            numberCell(row.part, 4),
            pCell(row['p.value']),
          ])}
          sortable
          copyable
          tall
        />
      );
  }
}

const MOST_CELLS = 30;

/** If there are many columns: those with the strongest correlation with the response, which is the last. */
function Correlations({
  description: { columns, correlations },
  names,
}: {
  readonly description: DataDescription;
  readonly names: TermTexts;
}) {
  const last = columns.length - 1;
  const size = (k: number) => Math.abs(correlations[last][k] ?? 0);
  const kept = [...columns.keys()]
    .slice(0, -1)
    .sort((a, b) => size(b) - size(a))
    .slice(0, MOST_CELLS - 1)
    .sort((a, b) => a - b)
    .concat(last);
  return (
    <div class="stack">
      {kept.length < columns.length && (
        <p class="small soft">
          The {kept.length - 1} of {columns.length - 1} columns with the strongest correlation with{' '}
          {shortText(names, columns[last].column)}.
        </p>
      )}
      <HeatMapChart
        title="Correlations of the pooled columns"
        names={kept.map((k) => shortText(names, columns[k].column))}
        values={kept.map((i) => kept.map((j) => correlations[i][j]))}
        range={[-1, 1]}
      />
    </div>
  );
}

function Inflation({
  collinearity: { terms, indices },
  names,
}: {
  readonly collinearity: Collinearity;
  readonly names: TermTexts;
}) {
  const worst = indices.at(-1);
  return (
    <div class="stack">
      <p>
        How much the variance of each term grows because other terms are correlated with it. Below 5
        is usual. Above 10 the term can hardly be separated from the others.
        {worst === undefined ? '' : ` The largest condition index is ${worst.index.toFixed(1)}.`}
      </p>
      <DataTable
        label="Variance inflation"
        columns={[
          { name: 'Term' },
          { name: 'Df', numeric: true },
          { name: 'GVIF', numeric: true },
          { name: 'GVIF^(1/(2 df))', numeric: true },
        ]}
        rows={terms.map(({ term, df, gvif, scaled }) => [
          nameCell(term, termText(names, term)),
          { value: df },
          numberCell(gvif, 4),
          numberCell(scaled, 4),
        ])}
        sortable
        copyable
        tall
      />
    </div>
  );
}

function TermTests({
  anova: { test, rows },
  names,
}: {
  readonly anova: Anova;
  readonly names: TermTexts;
}) {
  const squares = rows.some(({ sumsq }) => sumsq !== undefined);
  return (
    <div class="stack">
      <p>What each term adds to a model with all other terms (type III).</p>
      <DataTable
        label="Tests of terms"
        columns={[
          { name: 'Term' },
          { name: 'Df', numeric: true },
          ...(squares ? [{ name: 'Sum of squares', numeric: true }] : []),
          { name: test === 'Wald chi-square' ? 'Wald χ²' : test, numeric: true },
          { name: 'p', numeric: true },
        ]}
        rows={rows.map((row) => [
          nameCell(row.term, termText(names, row.term)),
          { value: row.df },
          ...(squares ? [numberCell(row.sumsq)] : []),
          numberCell(row.statistic, 4),
          pCell(row['p.value']),
        ])}
        sortable
        copyable
        tall
      />
    </div>
  );
}
