import { finiteJson } from '../../../src/text/finite-json.ts';
import { Button } from '../../ui/button.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { download } from '../../ui/download.ts';
import type { LabTrial } from './use-experiment.ts';

/** The result as a file, and the command that gives the same numbers elsewhere. */
export function TakeAlong({
  trial: { state, stale, result },
  name,
  command,
}: {
  readonly trial: LabTrial;
  /** Name of the file, without its ending. */
  readonly name: string;
  readonly command: string;
}) {
  const whole = state === 'finished' && !stale ? result : undefined;
  return (
    <div class="stack">
      <div class="row">
        <Button
          disabledReason={
            whole === undefined ? 'The file is ready when the experiment has finished.' : undefined
          }
          onClick={() => download(`${name}.json`, [finiteJson(whole), '\n'], 'application/json')}
        >
          Download JSON
        </Button>
        <CopyButton text={() => location.href}>Copy link</CopyButton>
      </div>
      <div class="lab-command">
        <p class="small soft">The same numbers, to the last bit, on the command line:</p>
        <p class="code wraps">
          <code>{command}</code>
        </p>
        <CopyButton text={() => command}>Copy command</CopyButton>
      </div>
    </div>
  );
}
