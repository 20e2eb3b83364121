import { Refusal } from '../protocol/refusal.ts';

/** Why a page cannot take part where parties hold different columns; it names the command that can. */
export function pageCannotLink(): Refusal {
  return new Refusal(
    'conflict',
    'the parties of this study hold different columns of the same people and link their rows, which a page cannot do',
    'run this where the file is: suffice join INVITATION FILE',
  );
}
