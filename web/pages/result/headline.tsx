import type { SealedResolution } from '../../../src/protocol/messages.ts';
import { significant } from '../../../src/text/number-text.ts';
import type { StudyLink } from '../../tab/page-address.ts';
import { Button } from '../../ui/button.tsx';
import { SelectField } from '../../ui/field.tsx';
import { Notice, sentence } from '../../ui/notice.tsx';
import { Tag } from '../../ui/tag.tsx';
import { countText, timeText } from '../../ui/text.ts';
import type { Overview, ShownResult } from '../../worker/result-overview.ts';
import { Doubts } from './doubts.tsx';

interface HeadlineProps {
  readonly link: StudyLink;
  readonly overview: Overview;
  readonly shown: ShownResult;
  readonly newer?: number | undefined;
  readonly onChoose: (number: number) => void;
}

/** The head of the page: name, date, main numbers, summary and warnings. */
export function ResultHeadline({ link, overview, shown, newer, onChoose }: HeadlineProps) {
  const { resolution, summary } = shown;
  const { study, report, number, resolvedAt } = resolution;
  return (
    <header class="headline">
      <div class="heading-row">
        <div class="heading">
          <p class="row small">
            {overview.view.round !== undefined && (
              <Tag kind="accent">{`Round ${overview.view.round}`}</Tag>
            )}
            <Tag kind="accent">{`Resolution ${number}`}</Tag>
            <time class="soft" dateTime={resolvedAt}>
              {timeText(resolvedAt)}
            </time>
            <Tag kind="good">Signature checked</Tag>
          </p>
          <h1>{study.name ?? report.formula}</h1>
          {study.name !== undefined && shown.hasFormula && <p class="formula">{report.formula}</p>}
        </div>
        {overview.versions.length > 1 && (
          <div class="versions">
            <SelectField
              label="Resolution"
              value={String(number)}
              options={overview.versions
                .toSorted((a, b) => b.number - a.number)
                .map((line) => [
                  String(line.number),
                  `${line.number}, ${timeText(line.resolvedAt)}, ${line.sites} ${line.sites === 1 ? 'site' : 'sites'}`,
                ])}
              onChange={(text) => onChoose(Number(text))}
            />
          </div>
        )}
      </div>
      {newer !== undefined && (
        <Notice kind="info" title={`Resolution ${newer} is available.`}>
          <p>
            <Button onClick={() => onChoose(newer)}>Show it</Button>
          </p>
        </Notice>
      )}
      <FigureStrip shown={shown} />
      <div class={summary.length > 3 ? 'prose long' : 'prose'}>
        {summary.map((text) => (
          <p key={text}>{text}</p>
        ))}
      </div>
      <Doubts link={link} shown={shown} />
      <Warnings shown={shown} overview={overview} />
    </header>
  );
}

/** The main numbers. */
function FigureStrip({ shown }: { readonly shown: ShownResult }) {
  const { report } = shown.resolution;
  const [first] = shown.responses;
  const noisy = (report.privacy?.sigma.count ?? 0) > 0;
  const share = first?.glance['r.squared'];
  const figures: readonly (readonly [string, string])[] = [
    [rowsLabel(noisy, report.n), countText(report.n)],
    [report.sites.length === 1 ? 'site' : 'sites', countText(report.sites.length)],
    ...(share === undefined || shown.responses.length > 1
      ? []
      : [['of the variation explained', `${(100 * share).toFixed(1)} %`] as const]),
    ...(shown.network === undefined
      ? []
      : [['weights', countText(shown.network.weights)] as const]),
    ...(shown.responses.length > 1 && shown.network === undefined
      ? [['responses', countText(shown.responses.length)] as const]
      : []),
    ...(report.digits === undefined || report.deviation !== undefined
      ? []
      : [['guaranteed digits', String(Math.floor(report.digits))] as const]),
    ...(report.deviation === undefined || report.deviation.converged === true
      ? []
      : [
          ['SE from the pooled model, at most', significant(report.deviation.estimate, 2)] as const,
        ]),
    ...(report.privacy === undefined
      ? []
      : [['ε of privacy', String(report.privacy.epsilon)] as const]),
  ];
  return (
    <dl class="figures">
      {figures.map(([name, figure]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{figure}</dd>
        </div>
      ))}
    </dl>
  );
}

function rowsLabel(noisy: boolean, rows: number): string {
  if (noisy) return 'rows, about';
  return rows === 1 ? 'row' : 'rows';
}

function Warnings({
  shown,
  overview,
}: {
  readonly shown: ShownResult;
  readonly overview: Overview;
}) {
  const { resolution, clipped } = shown;
  const { missing, report } = resolution;
  const gone = goneSince(resolution, overview);
  return (
    <>
      {clipped.map((text) => (
        <Notice key={text} kind="warn" title="Many responses were clipped.">
          <p>{text}</p>
        </Notice>
      ))}
      {missing.length > 0 && (
        <Notice kind="warn" title={`Without ${missing.join(', ')}.`}>
          <p>
            {missing.length === 1 ? 'This site was' : 'These sites were'} invited but had not
            contributed when the study closed.
          </p>
        </Notice>
      )}
      {gone.length > 0 && (
        <Notice
          kind="warn"
          title={`${gone.join(', ')} ${gone.length === 1 ? 'has' : 'have'} withdrawn since.`}
        >
          <p>
            {gone.length === 1 ? 'Its' : 'Their'} contributions were erased, so the total of this
            resolution no longer exists. The signed result stays. A new resolution would be without{' '}
            {gone.length === 1 ? 'this site' : 'these sites'}.
          </p>
        </Notice>
      )}
      {report.deviation !== undefined && report.deviation.converged !== true && (
        <Notice kind="warn" title="This is close to the pooled regression, but not equal to it.">
          <p>
            {report.deviation.steps === 0
              ? 'After one round,'
              : `After ${report.deviation.steps} Newton ${report.deviation.steps === 1 ? 'step' : 'steps'},`}{' '}
            no coefficient is more than {significant(report.deviation.estimate, 2)} standard errors
            away from what pooled rows would give, in 99 of 100 studies. The intervals allow for
            that.
          </p>
          <p>{sentence(report.deviation.advice)}</p>
        </Notice>
      )}
      {report.estimates !== undefined && (
        <Notice
          kind="warn"
          title="This is an average of the sites’ own regressions, not the pooled one."
        >
          <p>
            It can be wrong if sites have few rows or differ from each other. A study with the ridge
            fusion sends more numbers and is exact.
          </p>
        </Notice>
      )}
      {report.privacy !== undefined && (
        <Notice kind="warn" title="These numbers are noisy on purpose.">
          <p>
            Noise was added to protect{' '}
            {report.privacy.unit === 'row' ? 'single rows' : 'single people'}; the promise is stated
            above. Be careful with small effects.
          </p>
        </Notice>
      )}
    </>
  );
}

/** Sites in the resolution that have withdrawn since. */
function goneSince({ contributions }: SealedResolution, { view }: Overview): string[] {
  const withdrawn = new Set(
    view.sites.filter(({ state }) => state === 'withdrawn').map(({ name }) => name),
  );
  return contributions.map(({ site }) => site).filter((site) => withdrawn.has(site));
}
