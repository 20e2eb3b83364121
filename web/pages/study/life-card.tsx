import { useState } from 'preact/hooks';
import type { StudyLink } from '../../tab/page-address.ts';
import { announce } from '../../ui/announce.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { CheckField } from '../../ui/field.tsx';
import { MomentField } from '../../ui/moment-field.tsx';
import { FailureNotice } from '../../ui/notice.tsx';
import { timeText } from '../../ui/text.ts';
import { useAct } from '../../ui/use-act.ts';
import { call } from '../../worker/call.ts';
import type { WatchedStudy } from '../../worker/watched-study.ts';
import { OwnLink } from './own-link.tsx';

interface StepProps {
  readonly view: WatchedStudy;
  readonly link: StudyLink;
}

/** The next steps, depending on the state of the study. */
export function LifeCard({ view, link, whole }: StepProps & { readonly whole: StudyLink }) {
  const { state } = view;
  const collects = state === 'open' || state === 'collecting';
  const over = state === 'closed' || state === 'resolved';
  return (
    <Card title="What next">
      {state === 'draft' && <Opening link={link} />}
      {collects && <Closing view={view} link={link} />}
      {(collects || state === 'draft') && <Extending view={view} link={link} />}
      {over && <Resolving view={view} link={link} />}
      {over && <Reopening view={view} link={link} />}
      {state === 'resolved' && view.hasRounds && view.next === undefined && (
        <Refining view={view} link={link} />
      )}
      <OwnLink link={whole} />
    </Card>
  );
}

function Opening({ link }: Pick<StepProps, 'link'>) {
  const act = useAct();
  const open = () =>
    act.run(async () => {
      await call('openDraft', [link]);
      announce('The study is open');
    });
  return (
    <div class="step">
      <p>Sites can contribute from now on, with the links they have.</p>
      <Button kind="primary" busy={act.busy} onClick={open}>
        Open the study
      </Button>
      {act.failure !== undefined && <FailureNotice failure={act.failure} />}
    </div>
  );
}

function Closing({ view, link }: StepProps) {
  const act = useAct();
  const [asking, setAsking] = useState(false);
  const done = view.sites.filter(({ state }) => state === 'contributed').length;
  const answer = (yes: boolean) => {
    if (!yes) return setAsking(false);
    act.run(async () => {
      try {
        await call('requestClose', [link]);
        announce('The study is closed');
      } finally {
        setAsking(false);
      }
    });
  };
  return (
    <div class="step">
      <p>Stop collecting. With {view.quorum} sites or more, the study resolves at once.</p>
      <Button busy={act.busy} onClick={() => setAsking(true)}>
        Close the study
      </Button>
      {act.failure !== undefined && <FailureNotice failure={act.failure} />}
      {asking && (
        <ConfirmDialog title="Close the study?" action="Close it" busy={act.busy} onAnswer={answer}>
          <p>
            {done} {done === 1 ? 'site has' : 'sites have'} contributed; {view.quorum} needed.
            Contributions after closing are late. You can reopen the study.
          </p>
        </ConfirmDialog>
      )}
    </div>
  );
}

function Extending({ view, link }: StepProps) {
  const act = useAct();
  const [deadline, setDeadline] = useState('');
  const extend = () =>
    act.run(async () => {
      await call('requestExtension', [link, deadline]);
      setDeadline('');
      announce('The deadline has moved');
    });
  return (
    <div class="step">
      <MomentField
        label={view.deadline === undefined ? 'Set a deadline' : 'Move the deadline'}
        hint={
          view.deadline === undefined ? 'There is no deadline.' : `Now: ${timeText(view.deadline)}.`
        }
        value={deadline}
        onInput={setDeadline}
      />
      <Button
        busy={act.busy}
        disabledReason={deadline === '' ? 'Choose a time first' : undefined}
        onClick={extend}
      >
        {view.deadline === undefined ? 'Set it' : 'Move it'}
      </Button>
      {act.failure !== undefined && <FailureNotice failure={act.failure} />}
    </div>
  );
}

function Resolving({ view, link }: StepProps) {
  const act = useAct();
  const [includeLate, setIncludeLate] = useState(false);
  const late = view.sites.filter((site) => site.late > 0).map(({ name }) => name);
  const resolve = () =>
    act.run(async () => {
      const number = await call('requestResolution', [
        link,
        includeLate ? 'with-late' : 'without-late',
      ]);
      setIncludeLate(false);
      announce(`Resolution ${number} is ready`);
    });
  return (
    <div class="step">
      <p>
        Compute the result from the present contributions. If they have not changed, the result is
        the same and no new resolution is made.
      </p>
      {late.length > 0 && (
        <CheckField checked={includeLate} onChange={setIncludeLate}>
          Include late contributions: {late.join(', ')}
        </CheckField>
      )}
      <Button
        kind={view.state === 'closed' && view.problem === undefined ? 'primary' : 'plain'}
        busy={act.busy}
        onClick={resolve}
      >
        {act.busy ? 'Resolving…' : 'Resolve'}
      </Button>
      {act.failure !== undefined && <FailureNotice failure={act.failure} />}
    </div>
  );
}

function Refining({ view, link }: StepProps) {
  const act = useAct();
  const [asking, setAsking] = useState(false);
  const answer = (yes: boolean) => {
    if (!yes) return setAsking(false);
    act.run(async () => {
      try {
        await call('requestRound', [link]);
        announce('One more round is open');
      } finally {
        setAsking(false);
      }
    });
  };
  return (
    <div class="step">
      <p>One more round starts from this result and brings it closer to that of pooled rows.</p>
      <Button busy={act.busy} onClick={() => setAsking(true)}>
        Ask the sites for one more round
      </Button>
      {act.failure !== undefined && <FailureNotice failure={act.failure} />}
      {asking && (
        <ConfirmDialog
          title="Ask the sites for one more round?"
          action="Open the round"
          busy={act.busy}
          onAnswer={answer}
        >
          <p>
            Each of {view.sites.length === 1 ? 'the site' : `the ${view.sites.length} sites`} opens
            its link again, chooses its file and approves what is sent. The links stay as they are;
            this result stays, too. A round cannot be taken back.
          </p>
        </ConfirmDialog>
      )}
    </div>
  );
}

/** Whether to collect again is what helps most. */
function isBest({ problem, retries, opening }: WatchedStudy): boolean {
  return problem !== undefined && retries !== true && opening === undefined;
}

function Reopening({ view, link }: StepProps) {
  const act = useAct();
  const [deadline, setDeadline] = useState('');
  const reopen = () =>
    act.run(async () => {
      await call('requestReopening', [link, deadline === '' ? undefined : deadline]);
      announce('The study collects again');
    });
  return (
    <div class="step">
      <MomentField
        label="Collect again until"
        hint="Late contributions then count. Without a time, the study collects until you close it."
        value={deadline}
        onInput={setDeadline}
      />
      <Button kind={isBest(view) ? 'primary' : 'plain'} busy={act.busy} onClick={reopen}>
        Reopen
      </Button>
      {act.failure !== undefined && <FailureNotice failure={act.failure} />}
    </div>
  );
}
