/** The progress of some work; without a share, only that it goes on. */
export function ProgressBar({
  label,
  share,
  detail,
}: {
  readonly label: string;
  /** From 0 to 1. */
  readonly share?: number | undefined;
  readonly detail?: string | undefined;
}) {
  return (
    <div class="progress">
      <p class="progress-text">
        <span>{label}</span>
        <span class="soft">{detail ?? ''}</span>
      </p>
      <progress
        max={1}
        value={share === undefined ? undefined : Math.min(1, share)}
        aria-label={label}
      />
    </div>
  );
}
