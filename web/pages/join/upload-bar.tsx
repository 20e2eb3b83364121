import { ProgressBar } from '../../ui/progress-bar.tsx';
import { bytesText } from '../../ui/text.ts';
import type { UploadView } from '../../worker/join-session.ts';

/** How much of a large contribution the coordinator has. */
export function UploadBar({ upload }: { readonly upload: UploadView | undefined }) {
  if (upload === undefined) return null;
  const { arrivedBytes, bytes } = upload;
  return (
    <ProgressBar
      label="Sending"
      share={arrivedBytes / bytes}
      detail={`${bytesText(arrivedBytes)} of ${bytesText(bytes)} stored`}
    />
  );
}
