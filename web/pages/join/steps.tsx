import type { Phase } from './use-visit.ts';

const names = ['The study', 'Your file', 'What would leave', 'The receipt'] as const;
const places: Readonly<Record<Phase['at'], number>> = {
  file: 1,
  reading: 1,
  read: 2,
  unsent: 2,
  sent: 3,
  saved: 3,
};

/** How far one is. */
export function Steps({
  phase,
  done,
}: {
  readonly phase: Phase['at'];
  /** The site has contributed and sends nothing more. */
  readonly done: boolean;
}) {
  const here = done && phase === 'file' ? names.length : places[phase];
  return (
    <ol class="steps" aria-label="Steps">
      {names.map((name, k) => (
        <li
          key={name}
          class={k < here ? 'done' : undefined}
          aria-current={k === here ? 'step' : undefined}
        >
          {name}
        </li>
      ))}
    </ol>
  );
}
