import { Refusal } from '../protocol/refusal.ts';

/** Why rows alone make no contribution where parties hold different columns. */
export function mustLinkFirst(): Refusal {
  return new Refusal(
    'conflict',
    'the parties of this study hold different columns of the same people and link their rows before they contribute',
    'join with the invitation, while the coordinator can be reached',
  );
}
