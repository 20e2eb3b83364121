import '../style/result.css';
import '../style/result-later.css';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { isSite, type PageProps, type StudyLink } from '../app/here.ts';
import { useTitle } from '../app/shell.tsx';
import type { Overview, ShownResult } from '../desk/result-overview.ts';
import { announce } from '../ui/announce.ts';
import { SelectField } from '../ui/field.tsx';
import { Notice, TroubleNotice } from '../ui/notice.tsx';
import { Coefficients } from './result/coefficients.tsx';
import { Contents } from './result/contents.tsx';
import { Effects } from './result/effects.tsx';
import { Glance } from './result/glance.tsx';
import { Headline } from './result/headline.tsx';
import type { PartProps } from './result/part.ts';
import { LaterPart } from './result/section.tsx';
import { firstSections, laterSections } from './result/sections.ts';
import { type ResultState, useResult } from './result/use-result.ts';
import { useTotal } from './result/use-total.ts';
import { Waiting } from './result/waiting.tsx';

/** The result of a study: for who runs it, alive; for its sites, all that needs no total. */
export function ResultPage({ here: { link } }: PageProps) {
  const result = useResult(link);
  const { overview, trouble } = result;
  useTitle(
    overview === undefined ? 'Result' : `Result of ${overview.view.study.name ?? 'a study'}`,
  );
  useArrival(overview);
  if (link === undefined) {
    return (
      <>
        <h1>Result</h1>
        <Notice kind="info" title="This address names no study.">
          <p>Open the link you were given: all that comes after # belongs to it.</p>
        </Notice>
      </>
    );
  }
  if (overview === undefined) {
    return (
      <>
        <h1>Result</h1>
        {trouble === undefined ? (
          <div class="waiting whole-page" role="status" aria-label="Loading" />
        ) : (
          <TroubleNotice trouble={trouble} />
        )}
      </>
    );
  }
  if (overview.shown === undefined) return <Waiting view={overview.view} link={link} />;
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
  const given: PartProps = { link, overview, shown, total, response };
  return (
    <div class="result">
      <Headline
        link={link}
        overview={overview}
        shown={shown}
        newer={result.newer}
        onChoose={result.choose}
      />
      <Contents sections={sections} />
      <div class="parts">
        {result.trouble !== undefined && <TroubleNotice trouble={result.trouble} />}
        {shown.responses.length > 1 && (
          <div class="term-choice">
            <SelectField
              label="Response"
              value={String(response)}
              options={shown.responses.map((one, k) => [String(k), one.response])}
              onChange={(text) => setResponse(Number(text))}
            />
          </div>
        )}
        {shown.responses.length > 0 && (
          <>
            {shown.hasFormula && <Effects {...given} />}
            <Coefficients shown={shown} response={response}>
              {shown.hasFormula && <Glance {...given} />}
            </Coefficients>
          </>
        )}
        {later.map((section) => (
          <LaterPart key={`${section.id} ${shown.digest}`} section={section} given={given} />
        ))}
      </div>
    </div>
  );
}

/** Says when the result one waits for has come, and puts the focus where it begins. */
function useArrival(overview: Overview | undefined): void {
  const waited = useRef(false);
  const number = overview?.shown?.resolution.number;
  useEffect(() => {
    if (overview === undefined) return;
    if (number === undefined) waited.current = true;
    else if (waited.current) {
      waited.current = false;
      announce('The result has come');
      document.getElementById('main')?.focus();
    }
  }, [overview === undefined, number]);
}
