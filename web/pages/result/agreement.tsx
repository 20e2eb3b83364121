import { useState } from 'preact/hooks';
import type { Answered, Question } from '../../../src/analysis/question.ts';
import type { Heterogeneity } from '../../../src/between-sites/heterogeneity.ts';
import type { Influence } from '../../../src/between-sites/influence.ts';
import type { TermRow } from '../../../src/model/inference.ts';
import { grouped, pEquation, significant } from '../../../src/text/number-text.ts';
import { ForestChart } from '../../charts/forest.tsx';
import { type PageFailure, pageFailureOf } from '../../page-failure.ts';
import { isSite } from '../../tab/page-address.ts';
import { announce } from '../../ui/announce.ts';
import { Button } from '../../ui/button.tsx';
import { DataTable } from '../../ui/data-table.tsx';
import { Facts } from '../../ui/facts.tsx';
import { SelectField } from '../../ui/field.tsx';
import { FailureNotice, Notice, sentence } from '../../ui/notice.tsx';
import { call } from '../../worker/call.ts';
import { numberCell, pValueText } from './number-text.ts';
import { placeOf, type SectionProps } from './section-props.ts';

/** Whether one model fits all sites: each site's own estimates, and the model without each site. */
export function AgreementSection({ link, shown, response }: SectionProps) {
  const { report } = shown.resolution;
  if (isSite(link)) {
    return (
      <Notice kind="info">
        Only the analyst can compare the sites: it needs the sums of each site.
      </Notice>
    );
  }
  if (shown.isPrivate) {
    return (
      <Notice kind="info">
        A private study shows nothing about single sites: it would cost more privacy than promised.
      </Notice>
    );
  }
  if (report.sites.length < 2) {
    return <Notice kind="info">There is only one site, so there is nothing to compare.</Notice>;
  }
  const name = shown.responses[response].response;
  return <Comparison key={`${shown.digest} ${name}`} link={link} shown={shown} name={name} />;
}

function Comparison({
  link,
  shown,
  name,
}: Pick<SectionProps, 'link' | 'shown'> & { readonly name: string }) {
  const [asking, setAsking] = useState(false);
  const [found, setFound] = useState<{
    readonly answers?: readonly Answered[];
    readonly failure?: PageFailure;
  }>();
  const start = async () => {
    setAsking(true);
    const of = name === '' ? {} : { response: name };
    const questions: readonly Question[] = [
      { about: 'heterogeneity', ...of },
      { about: 'influence', ...of },
    ];
    const answer = await call('loadSiteAnswers', [link, ...placeOf(shown), questions]).then(
      (answers) => ({ answers }),
      (error) => ({ failure: pageFailureOf(error) }),
    );
    setFound(answer);
    setAsking(false);
    announce('answers' in answer ? 'The sites are compared' : 'The sites could not be compared');
  };
  if (found?.answers === undefined) {
    return (
      <>
        {found?.failure !== undefined && <FailureNotice failure={found.failure} />}
        <p class="row">
          <Button kind="primary" busy={asking} onClick={() => void start()}>
            {asking ? 'The coordinator is computing…' : 'Compare the sites'}
          </Button>
          <span class="small soft">
            One request to the coordinator, which has each site’s sums. No site is asked again.
          </span>
        </p>
      </>
    );
  }
  const [agreement, influence] = ['heterogeneity', 'influence'].map((about) =>
    found.answers?.find((answer) => answer.about === about),
  );
  return (
    <>
      {answered<Heterogeneity>(agreement, (value) => (
        <Estimates
          heterogeneity={value}
          model={shown.responses.find(({ response }) => response === name)?.terms ?? []}
        />
      ))}
      <h3>Without each site</h3>
      {answered<Influence>(influence, (value) => (
        <LeaveOneOut influence={value} />
      ))}
    </>
  );
}

function answered<T>(answer: Answered | undefined, show: (value: T) => preact.JSX.Element) {
  if (answer === undefined) return null;
  if ('problem' in answer) {
    return (
      <Notice kind="info" title={sentence(answer.problem)}>
        <p>{sentence(answer.advice)}</p>
      </Notice>
    );
  }
  return show(answer as T);
}

const NORMAL_REACH = 1.959964;

function Estimates({
  heterogeneity,
  model,
}: {
  readonly heterogeneity: Heterogeneity;
  readonly model: readonly TermRow[];
}) {
  const { chow, cochran, terms, without } = heterogeneity;
  const least = terms.toSorted((a, b) => b.I2 - a.I2)[0]?.term;
  const [term, setTerm] = useState(least);
  const chosen = terms.find((one) => one.term === term);
  const pooled = model.find((row) => row.term === term);
  const error = pooled?.['std.error'];
  return (
    <div class="stack">
      {chow !== undefined && (
        <p>
          All coefficients equal at all sites (Chow): F {significant(chow.statistic, 4)} on{' '}
          {chow.df} and {grouped(chow['df.residual'])} degrees of freedom,{' '}
          {pEquation(chow['p.value'])}.
        </p>
      )}
      {cochran !== undefined && (
        <p>
          All coefficients equal at all sites (Cochran): Q {significant(cochran.Q, 4)} on{' '}
          {cochran.df} degrees of freedom, {pEquation(cochran['p.value'])}.
        </p>
      )}
      {chosen === undefined ? (
        <p class="soft">No term can be estimated at two sites separately.</p>
      ) : (
        <>
          <div class="term-choice">
            <SelectField
              label="Term"
              value={chosen.term}
              options={terms.map((one) => [one.term, `${one.term} (I² ${one.I2.toFixed(0)} %)`])}
              onChange={setTerm}
            />
          </div>
          <ForestChart
            title={`${chosen.term} at each site`}
            axis="estimate from the site’s own rows"
            reference={chosen.estimate}
            rows={[
              ...chosen.sites.map((site) => ({
                label: site.site,
                estimate: site.estimate,
                low: site.estimate - NORMAL_REACH * site['std.error'],
                high: site.estimate + NORMAL_REACH * site['std.error'],
              })),
              {
                label: 'Weighted mean of the sites',
                estimate: chosen.estimate,
                low: chosen.estimate - NORMAL_REACH * chosen['std.error'],
                high: chosen.estimate + NORMAL_REACH * chosen['std.error'],
                summary: true,
              },
              ...(pooled === undefined || error === undefined
                ? []
                : [
                    {
                      label: 'The model, all rows',
                      estimate: pooled.estimate,
                      low: pooled.estimate - NORMAL_REACH * error,
                      high: pooled.estimate + NORMAL_REACH * error,
                      summary: true,
                    },
                  ]),
            ]}
          />
          <Facts
            facts={[
              ['Q', `${significant(chosen.Q, 4)} on ${chosen.df} df`],
              ['p', pValueText(chosen['p.value'])],
              ['I², beyond chance', `${chosen.I2.toFixed(1)} %`],
              ['τ², between sites', significant(chosen.tau2, 4)],
            ]}
          />
        </>
      )}
      {without.map(({ site, reason }) => (
        <p key={site} class="small soft">
          {site} could not be fitted alone: {reason}.
        </p>
      ))}
    </div>
  );
}

function LeaveOneOut({ influence: { sites, terms } }: { readonly influence: Influence }) {
  return (
    <DataTable
      label="Changes without each site"
      columns={[
        { name: 'Left out' },
        { name: 'Rows', numeric: true },
        { name: 'Largest change' },
        { name: 'In SE', numeric: true },
        { name: 'Cook’s distance', numeric: true },
        ...terms.map((term) => ({ name: term, numeric: true })),
      ]}
      rows={sites.map(({ site, n, largest, cook, changes }) => [
        { value: site },
        { value: n, shown: grouped(n) },
        { value: largest?.term ?? null, shown: largest?.term ?? '–' },
        numberCell(largest?.change, 3),
        numberCell(cook, 3),
        ...changes.map((change) => numberCell(change, 3)),
      ])}
      sortable
      copyable
      tall={sites.length > 12}
    />
  );
}
