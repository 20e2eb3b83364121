import { OperatorEntry } from '../ui/operator-entry.tsx';
import { useTitle } from './shell.tsx';

/** A page of the operator's, opened where nobody has said that they are the operator. */
export function AskOperator() {
  useTitle('Who are you?');
  return (
    <>
      <h1>This page is the operator’s</h1>
      <p class="prose">
        Its address names a study and no secret. Enter the operator’s token, or open the link you
        were given: one that runs a study, or an invitation.
      </p>
      <OperatorEntry onToken={() => location.reload()} />
    </>
  );
}
