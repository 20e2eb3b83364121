import { useState } from 'preact/hooks';
import type { Acknowledgement } from '../../../src/disclosure/acknowledgement.ts';
import type { PageFailure } from '../../page-failure.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { CheckField } from '../../ui/field.tsx';
import { FailureNotice, Notice, sentence } from '../../ui/notice.tsx';
import { call } from '../../worker/call.ts';
import type { ExchangeStepView, ExchangeView, LinkedQuestion } from '../../worker/exchange-view.ts';
import { AuditCard } from './audit-card.tsx';
import { useHeadingFocus } from './use-heading-focus.ts';

/** After approval, in a study whose parties hold different columns: the tab takes part, and waits for the others. */
export function ExchangingStep({
  view,
  onStop,
}: {
  readonly view: ExchangeView | undefined;
  readonly onStop: () => void;
}) {
  const part = useHeadingFocus();
  const { steps = [], linked, question, lost } = view ?? {};
  return (
    <div ref={part} class="stack">
      <Card
        title="The exchange with the other parties"
        about="Leave this tab open until it is done. You may also close it and come back with the same file: it goes on where it was."
      >
        <ol class="join-exchange" aria-label="Steps of the exchange">
          {steps.map((one) => (
            <Step key={one.step} view={one} />
          ))}
        </ol>
        {lost === true && (
          <Notice kind="warn" title="The coordinator cannot be reached. It is tried again." />
        )}
        {linked !== undefined && <Linked lines={linked} />}
        {question === undefined && (
          <div class="row">
            <Button onClick={onStop}>Stop</Button>
          </div>
        )}
      </Card>
      {question !== undefined && <LinkedRows question={question} />}
    </div>
  );
}

const marks = { done: '✓', now: '→', next: '·' } as const;
const names = { done: 'done', now: 'now', next: 'to come' } as const;

function Step({ view: { title, about, state, now } }: { readonly view: ExchangeStepView }) {
  return (
    <li class={state} aria-current={state === 'now' ? 'step' : undefined}>
      <span class="mark" aria-hidden="true">
        {marks[state]}
      </span>
      <div>
        <p>
          <strong>{title}</strong>
          <span class="seen-by-readers">, {names[state]}</span> <span class="soft">{about}</span>
        </p>
        {now !== undefined && (
          <p class="now" role="status">
            {sentence(now)}
          </p>
        )}
      </div>
    </li>
  );
}

/** How many people are linked, and by which key. */
function Linked({ lines: [people, ...passes] }: { readonly lines: readonly string[] }) {
  return (
    <Notice kind="good" title={sentence(people)}>
      <ul>
        {passes.map((text) => (
          <li key={text}>{sentence(text.trim())}</li>
        ))}
      </ul>
    </Notice>
  );
}

/** New warnings about the linked rows: masked columns leave only after an answer. */
function LinkedRows({ question: { open, audit } }: { readonly question: LinkedQuestion }) {
  const part = useHeadingFocus();
  const [acknowledged, setAcknowledged] = useState<readonly Acknowledgement[]>([]);
  const mark = (one: Acknowledgement, seen: boolean) =>
    setAcknowledged(seen ? [...acknowledged, one] : acknowledged.filter((other) => other !== one));
  const left = open.filter((one) => !acknowledged.includes(one));
  const disabledReason = left.length === 0 ? undefined : `acknowledge ${left.join(', ')} first`;
  const answer = (approved: boolean) => void call('answerLinked', [approved]);
  return (
    <div ref={part} class="stack">
      <Card
        title="The linked rows need a second look"
        about="The rules have looked at the linked rows alone, and warn of something that all your rows did not show. No column has left yet."
      />
      {audit === undefined ? (
        <CheckField checked={acknowledged.includes('none')} onChange={(seen) => mark('none', seen)}>
          I know that no rule has checked these rows.
        </CheckField>
      ) : (
        <AuditCard audit={audit} acknowledged={acknowledged} onAcknowledge={mark} />
      )}
      <div class="row">
        <Button kind="primary" disabledReason={disabledReason} onClick={() => answer(true)}>
          Send the masked columns
        </Button>
        <Button onClick={() => answer(false)}>Do not send</Button>
      </div>
    </div>
  );
}

/** The exchange stopped before the share was sent: why, and how it goes on. */
export function StoppedStep({
  failure,
  onGoOn,
  onAgain,
}: {
  readonly failure: PageFailure;
  readonly onGoOn: () => void;
  readonly onAgain: () => void;
}) {
  const part = useHeadingFocus();
  const byPerson = failure.kind === 'cancelled';
  return (
    <div ref={part}>
      <Card
        title={byPerson ? 'You stopped the exchange' : 'The exchange has stopped'}
        about="Your share was not sent. What this tab has sent before stays encrypted at the coordinator until you leave the study."
      >
        {!byPerson && <FailureNotice failure={failure} />}
        <div class="row">
          <Button kind="primary" onClick={onGoOn}>
            {byPerson ? 'Go on' : 'Try again'}
          </Button>
          <Button onClick={onAgain}>Back to the study</Button>
        </div>
      </Card>
    </div>
  );
}
