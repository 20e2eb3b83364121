import { OperatorEntry } from '../ui/operator-entry.tsx';
import { useTitle } from './shell.tsx';

/** An operator's page, opened in a tab without the operator's token. */
export function AskOperator() {
  useTitle('Who are you?');
  return (
    <>
      <h1>This page is for the operator</h1>
      <p class="prose">
        Its address names a study but has no secret. Enter the operator’s token, or open the link
        you were given: the analyst’s link, or an invitation.
      </p>
      <OperatorEntry onToken={() => location.reload()} />
    </>
  );
}
