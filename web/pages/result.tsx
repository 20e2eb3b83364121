import '../style/result.css';
import '../style/result-later.css';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { useTitle } from '../app/shell.tsx';
import { isSite, type PageProps, type StudyLink } from '../tab/page-address.ts';
import { announce } from '../ui/announce.ts';
import { SelectField } from '../ui/field.tsx';
import { FailureNotice, Notice } from '../ui/notice.tsx';
import { RoundChoice } from '../ui/round-choice.tsx';
import { type ShownRound, useRounds } from '../ui/use-rounds.ts';
import type { Overview, ShownResult } from '../worker/result-overview.ts';
import { Classes } from './result/classes.tsx';
import { Coefficients } from './result/coefficients.tsx';
import { Contents } from './result/contents.tsx';
import { Effects } from './result/effects.tsx';
import { GlanceSection } from './result/glance.tsx';
import { ResultHeadline } from './result/headline.tsx';
import { LaterSection } from './result/section.tsx';
import type { SectionProps } from './result/section-props.ts';
import { firstSections, laterSections } from './result/sections.ts';
import { columnText } from './result/term-name.tsx';
import { type ResultState, useResult } from './result/use-result.ts';
import { useTotal } from './result/use-total.ts';
import { WaitingNotice } from './result/waiting.tsx';

/** The result of a study. The analyst can explore it; sites see everything that needs no total. */
export function ResultPage({ here: { link } }: PageProps) {
  if (link !== undefined) return <ResultOfStudy link={link} />;
  return <NoResult />;
}

function NoResult() {
  useTitle('Result');
  return (
    <>
      <h1>Result</h1>
      <Notice kind="info" title="This address names no study.">
        <p>Open the whole link you were given: the part after # belongs to it.</p>
      </Notice>
    </>
  );
}

/** The newest round with a result, or the one that a person chose. */
function ResultOfStudy({ link }: { readonly link: StudyLink }) {
  const shown = useRounds(link, ({ resolved }) => resolved);
  return (
    <>
      <RoundChoice shown={shown} />
      <ResultOfRound key={shown.link.study} shown={shown} />
    </>
  );
}

function ResultOfRound({ shown: { link, onNext } }: { readonly shown: ShownRound }) {
  const result = useResult(link);
  const { overview, failure } = result;
  useTitle(
    overview === undefined ? 'Result' : `Result of ${overview.view.study.name ?? 'a study'}`,
  );
  useResultNotice(overview);
  const next = overview?.view.next?.digest;
  useEffect(() => {
    if (next !== undefined) onNext(next);
  }, [next]);
  if (overview === undefined) {
    return (
      <>
        <h1>Result</h1>
        {failure === undefined ? (
          <div class="waiting whole-page" role="status" aria-label="Loading" />
        ) : (
          <FailureNotice failure={failure} />
        )}
      </>
    );
  }
  if (overview.shown === undefined) return <WaitingNotice view={overview.view} link={link} />;
  return <Shown link={link} overview={overview} shown={overview.shown} result={result} />;
}

interface ShownProps {
  readonly link: StudyLink;
  readonly overview: Overview;
  readonly shown: ShownResult;
  readonly result: ResultState;
}

function Shown({ link, overview, shown, result }: ShownProps) {
  const total = useTotal(link, shown);
  const [response, setResponse] = useState(0);
  const later = useMemo(() => laterSections(shown, isSite(link)), [link, shown]);
  const sections = useMemo(() => [...firstSections(shown), ...later], [shown, later]);
  const given: SectionProps = { link, overview, shown, total, response };
  return (
    <div class="result">
      <ResultHeadline
        link={link}
        overview={overview}
        shown={shown}
        newer={result.newer}
        onChoose={result.choose}
      />
      <Contents sections={sections} />
      <div class="parts">
        {result.failure !== undefined && <FailureNotice failure={result.failure} />}
        {shown.network === undefined && shown.responses.length > 0 && (
          <Estimates given={given} onResponse={setResponse} />
        )}
        {later.map((section) => (
          <LaterSection key={`${section.id} ${shown.digest}`} section={section} given={given} />
        ))}
      </div>
    </div>
  );
}

/** What the model estimates: effects and coefficients, or classes of images. */
function Estimates({
  given,
  onResponse,
}: {
  readonly given: SectionProps;
  readonly onResponse: (response: number) => void;
}) {
  const { shown, link, response } = given;
  if (shown.images) return <Classes shown={shown} link={link} />;
  return (
    <>
      {shown.responses.length > 1 && (
        <div class="term-choice">
          <SelectField
            label="Response"
            value={String(response)}
            options={shown.responses.map((one, k) => [
              String(k),
              columnText(shown.names, one.response),
            ])}
            onChange={(text) => onResponse(Number(text))}
          />
        </div>
      )}
      {shown.hasFormula && <Effects {...given} />}
      <Coefficients shown={shown} response={response}>
        {shown.hasFormula && <GlanceSection {...given} />}
      </Coefficients>
    </>
  );
}

/** Announces a result that appears while the page waits for it, and moves the focus there. */
function useResultNotice(overview: Overview | undefined): void {
  const waited = useRef(false);
  const number = overview?.shown?.resolution.number;
  useEffect(() => {
    if (overview === undefined) return;
    if (number === undefined) waited.current = true;
    else if (waited.current) {
      waited.current = false;
      announce('The result is available');
      document.getElementById('main')?.focus();
    }
  }, [overview === undefined, number]);
}
