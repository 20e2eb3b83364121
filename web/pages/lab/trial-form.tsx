import type { ComponentChildren } from 'preact';
import { Button } from '../../ui/button.tsx';
import { TroubleNotice } from '../../ui/notice.tsx';
import { ProgressBar } from '../../ui/progress-bar.tsx';
import { durationText } from '../../ui/words.ts';
import type { Trial } from './use-experiment.ts';

/** The settings of an experiment, one button that starts and stops it, and how far it is; Escape stops too. */
export function TrialForm({
  trial,
  aside,
  onStart,
  onStop,
  children,
}: {
  readonly trial: Trial;
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
        // Another number than the one that stands there would be taken.
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
          {running ? 'Stop' : trial.result === undefined ? 'Start' : 'Start again'}
        </Button>
        <ProgressBar label={stateText(trial)} share={trial.done} detail={timeText(trial)} />
        {trial.trouble !== undefined && <TroubleNotice trouble={trial.trouble} />}
      </div>
    </form>
  );
}

function stateText({ state, what, stale }: Trial): string {
  if (state === 'idle') return 'Not started';
  if (state === 'running') return what === '' ? 'Starts' : what;
  const changed = stale ? '; the settings have changed since' : '';
  if (state === 'stopped') return `Stopped${what === '' ? '' : ` at ${what}`}${changed}`;
  return state === 'finished' ? `Finished${changed}` : 'Failed';
}

function timeText({ state, done, seconds }: Trial): string {
  if (state === 'running' && done > 0 && seconds > 0.5) {
    return `${durationText((seconds / done) * (1 - done))} left`;
  }
  return '';
}
