import { useEffect, useRef, useState } from 'preact/hooks';
import { forgetOperator, operatorToken } from '../../app/operator.ts';
import { ask } from '../../desk/call.ts';
import type { CreatedLinks } from '../../desk/create.ts';
import type { Plan } from '../../desk/plan.ts';
import { troubleOf } from '../../desk/trouble.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { Notice, sentence, TroubleNotice } from '../../ui/notice.tsx';
import { OperatorEntry, REFUSED_TOKEN, refusesToken } from '../../ui/operator-entry.tsx';
import { useAct } from '../../ui/use-act.ts';
import { JsonPart } from './json-part.tsx';
import { ToldStudy } from './told-study.tsx';
import type { Planning } from './use-plan.ts';

/** The study in plain words, and the one button that sends something. */
export function ReviewCard({
  planning,
  coordinator,
  onLoad,
  onCreated,
}: {
  readonly planning: Planning;
  readonly coordinator: string;
  readonly onLoad: (plan: Plan) => void;
  readonly onCreated: (created: CreatedLinks) => void;
}) {
  const { plan, checked, current } = planning;
  const [token, setToken] = useState(operatorToken);
  const [refused, setRefused] = useState(false);
  const [asked, setAsked] = useState(false);
  const act = useAct();
  const problems = useRef<HTMLDivElement>(null);
  const review = checked?.review;
  const drowned = review?.forecast?.drowned === true;
  const open = checked?.problems ?? [];
  const create = () => {
    if (!current || checked === undefined || token === undefined) return;
    const { study } = checked;
    if (open.length > 0 || study === undefined || drowned) {
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
        onCreated(await ask('createPlanned', [coordinator, token, request]));
      } catch (failure) {
        if (!refusesToken(troubleOf(failure))) throw failure;
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
      about="This is what every site reads before it takes part. The digest names the study: whoever changes a letter has another study."
    >
      {review === undefined ? (
        <p class="soft">The study in plain words stands here when nothing is missing.</p>
      ) : (
        <>
          <ToldStudy study={review.told} />
          {review.notes.length > 0 && (
            <Notice kind="info" title="To think over">
              <ul>
                {review.notes.map((note) => (
                  <li key={note}>{sentence(note)}</li>
                ))}
              </ul>
            </Notice>
          )}
        </>
      )}
      <JsonPart planning={planning} onLoad={onLoad} />
      {planning.trouble !== undefined && <TroubleNotice trouble={planning.trouble} />}
      <div ref={problems} tabIndex={-1} class="stack">
        {asked && (open.length > 0 || drowned) && (
          <Notice kind="bad" title="Nothing was created. First:">
            <ul>
              {open.map(({ field, problem, remedy }) => (
                <li key={`${field} ${problem}`}>
                  {sentence(problem)} {sentence(remedy)}
                </li>
              ))}
              {drowned && (
                <li>
                  Noise would drown the answer. Change the promise, or say that you want it all the
                  same.
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
            {act.busy ? 'Creating…' : plan.draft ? 'Create the draft' : 'Create the study'}
          </Button>
          <span class="small soft">Only this sends something: the study and the sites’ names.</span>
        </div>
      )}
      {act.trouble !== undefined && <TroubleNotice trouble={act.trouble} />}
    </Card>
  );
}
