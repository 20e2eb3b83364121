import { useEffect, useRef, useState } from 'preact/hooks';
import { pageFailureOf } from '../../page-failure.ts';
import { forgetOperator, operatorToken } from '../../tab/operator-token.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { FailureNotice, Notice, sentence } from '../../ui/notice.tsx';
import { OperatorEntry, REFUSED_TOKEN, refusesToken } from '../../ui/operator-entry.tsx';
import { useAct } from '../../ui/use-act.ts';
import { call } from '../../worker/call.ts';
import type { StudyLinks } from '../../worker/create.ts';
import type { StudyPlan } from '../../worker/plan.ts';
import { JsonSection } from './json-section.tsx';
import { StudySummary } from './study-summary.tsx';
import type { Planning } from './use-plan.ts';

/** The study as sites see it, and the only button that sends something. */
export function ReviewCard({
  planning,
  coordinator,
  onLoad,
  onCreated,
}: {
  readonly planning: Planning;
  readonly coordinator: string;
  readonly onLoad: (plan: StudyPlan) => void;
  readonly onCreated: (created: StudyLinks) => void;
}) {
  const { plan, checked, current } = planning;
  const [token, setToken] = useState(operatorToken);
  const [refused, setRefused] = useState(false);
  const [asked, setAsked] = useState(false);
  const act = useAct();
  const problems = useRef<HTMLDivElement>(null);
  const review = checked?.review;
  const tooNoisy = review?.forecast?.tooNoisy === true;
  const open = checked?.problems ?? [];
  const create = () => {
    if (!current || checked === undefined || token === undefined) return;
    const { study } = checked;
    if (open.length > 0 || study === undefined || tooNoisy) {
      planning.insist();
      setAsked(true);
      problems.current?.focus();
      return;
    }
    act.run(async () => {
      const { expires, draft } = plan;
      const request = {
        study,
        sites: checked.sites,
        ...(draft ? { draft } : {}),
        ...(expires === '' ? {} : { invitationsExpire: expires }),
      };
      try {
        onCreated(await call('createPlanned', [coordinator, token, request]));
      } catch (error) {
        if (!refusesToken(pageFailureOf(error))) throw error;
        forgetOperator();
        setRefused(true);
        setToken(undefined);
      }
    });
  };
  useEffect(() => {
    if (open.length === 0) setAsked(false);
  }, [open.length]);
  return (
    <Card
      title="Review and create"
      about="Every site reads this before it takes part. The digest names the study: a study with one changed letter has another digest."
    >
      {review === undefined ? (
        <p class="soft">The text for the sites appears here when nothing is missing.</p>
      ) : (
        <>
          <StudySummary study={review.study} />
          {review.notes.length > 0 && (
            <Notice kind="info" title="Please consider">
              <ul>
                {review.notes.map((note) => (
                  <li key={note}>{sentence(note)}</li>
                ))}
              </ul>
            </Notice>
          )}
        </>
      )}
      <JsonSection planning={planning} onLoad={onLoad} />
      {planning.failure !== undefined && <FailureNotice failure={planning.failure} />}
      <div ref={problems} tabIndex={-1} class="stack">
        {asked && (open.length > 0 || tooNoisy) && (
          <Notice kind="bad" title="Nothing was created. Please correct this first:">
            <ul>
              {open.map(({ field, problem, remedy }) => (
                <li key={`${field} ${problem}`}>
                  {sentence(problem)} {sentence(remedy)}
                </li>
              ))}
              {tooNoisy && (
                <li>
                  The result would be mostly noise. Change the promise, or tick “Create the study
                  anyway”.
                </li>
              )}
            </ul>
          </Notice>
        )}
      </div>
      {token === undefined ? (
        <OperatorEntry refused={refused ? REFUSED_TOKEN : undefined} onToken={setToken} />
      ) : (
        <div class="row">
          <Button kind="primary" busy={act.busy || !current} onClick={create}>
            {act.busy && 'Creating…'}
            {!act.busy && (plan.draft ? 'Create the draft' : 'Create the study')}
          </Button>
          <span class="small soft">
            Only this button sends something: the study and the names of the sites.
          </span>
        </div>
      )}
      {act.failure !== undefined && <FailureNotice failure={act.failure} />}
    </Card>
  );
}
