import type { Chosen } from '../../tab/chosen-files.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { sentence } from '../../ui/notice.tsx';
import { ProgressBar } from '../../ui/progress-bar.tsx';
import { bytesText, countText, durationText } from '../../ui/text.ts';
import type { WorkProgress } from '../../worker/progress.ts';
import { TrainingPart } from './training-part.tsx';
import { useHeadingFocus } from './use-heading-focus.ts';

/** Progress while a file is read and, in a study of networks, while the site's network is trained. */
export function ReadingStep({
  file,
  progress,
  onCancel,
}: {
  readonly file: Chosen;
  readonly progress: WorkProgress | undefined;
  readonly onCancel: () => void;
}) {
  const part = useHeadingFocus();
  const training = progress?.training;
  return (
    <div ref={part}>
      {progress?.waits === true ? (
        <Card
          title="Agreeing on masks with the other sites"
          about="Your file is read, and fits. Now keys are sent, and nothing about your rows: the sites agree on numbers that hide each of them and cancel in the sum. Leave this tab open, or come back later with the same file: it goes on where it was."
        >
          <p role="status">{sentence(progress.phase)}</p>
          <div class="row">
            <Button onClick={onCancel}>Stop</Button>
          </div>
        </Card>
      ) : training === undefined ? (
        <Card title={`Reading ${file.name}`} about="Nothing is sent while it is read.">
          <ProgressBar
            label={sentence(progress?.phase ?? 'opening the file').replace(/\.$/, '')}
            share={progress && progress.bytes / Math.max(1, progress.totalBytes)}
            detail={detailOf(progress, file.size)}
          />
          <div class="row">
            <Button onClick={onCancel}>Cancel</Button>
          </div>
        </Card>
      ) : (
        <Card
          title={`Training on ${file.name}`}
          about="The network is trained in this tab, and nothing is sent. You may close the tab: with the same file the training goes on where it was."
        >
          <TrainingPart training={training} rows={progress!.rows} />
          <div class="row">
            <Button onClick={onCancel}>Stop</Button>
          </div>
        </Card>
      )}
    </div>
  );
}

function detailOf(progress: WorkProgress | undefined, size: number): string {
  if (progress === undefined) return bytesText(size);
  const { bytes, totalBytes, rows, seconds } = progress;
  const parts = [`${bytesText(bytes)} of ${bytesText(totalBytes)}`];
  if (rows > 0) parts.push(`${countText(rows)} rows`);
  if (rows > 0 && seconds > 0.2) {
    parts.push(`${countText(Number((rows / seconds).toPrecision(2)))} rows/s`);
    parts.push(`${durationText((seconds * (totalBytes - bytes)) / bytes)} left`);
  }
  return parts.join(' · ');
}
