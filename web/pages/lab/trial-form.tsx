import type { ComponentChildren } from 'preact';
import { Button } from '../../ui/button.tsx';
import { FailureNotice } from '../../ui/notice.tsx';
import { ProgressBar } from '../../ui/progress-bar.tsx';
import { durationText } from '../../ui/text.ts';
import type { LabTrial } from './use-experiment.ts';

/** The settings of an experiment, a button to start and stop it, and its progress. Escape stops too. */
export function TrialForm({
  trial,
  aside,
  onStart,
  onStop,
  children,
}: {
  readonly trial: LabTrial<unknown>;
  /** Another button, under the settings. */
  readonly aside?: ComponentChildren;
  readonly onStart: () => void;
  readonly onStop: () => void;
  readonly children: ComponentChildren;
}) {
  const running = trial.state === 'running';
  return (
    <form
      class="lab-settings"
      onSubmit={(event) => {
        event.preventDefault();
        if (running) return onStop();
        // The experiment would use another number than the one in the field.
        const wrong = event.currentTarget.querySelector<HTMLElement>('[aria-invalid]');
        if (wrong === null) onStart();
        else wrong.focus();
      }}
      onKeyDown={(event) => {
        if (event.key === 'Escape') onStop();
      }}
    >
      <div class="lab-fields">{children}</div>
      {aside !== undefined && <div class="row">{aside}</div>}
      <div class="lab-bar">
        <Button kind={running ? 'plain' : 'primary'} submits>
          {running && 'Stop'}
          {!running && (trial.result === undefined ? 'Start' : 'Start again')}
        </Button>
        <ProgressBar label={stateText(trial)} share={trial.done} detail={timeText(trial)} />
        {trial.failure !== undefined && <FailureNotice failure={trial.failure} />}
      </div>
    </form>
  );
}

function stateText({ state, what, stale }: LabTrial<unknown>): string {
  if (state === 'idle') return 'Not started';
  if (state === 'running') return what === '' ? 'Starting' : what;
  const changed = stale ? '; the settings have changed since' : '';
  if (state === 'stopped') return `Stopped${what === '' ? '' : ` at ${what}`}${changed}`;
  return state === 'finished' ? `Finished${changed}` : 'Failed';
}

function timeText({ state, done, seconds }: LabTrial<unknown>): string {
  if (state === 'running' && done > 0 && seconds > 0.5) {
    return `${durationText((seconds / done) * (1 - done))} left`;
  }
  return '';
}
