import { useState } from 'preact/hooks';
import type { PageFailure } from '../page-failure.ts';
import { operatorToken } from '../tab/operator-token.ts';
import { Button } from './button.tsx';
import { TextField } from './field.tsx';

/** Shown when the coordinator refuses the token. */
export const REFUSED_TOKEN =
  'This coordinator does not know this token. Check that it is the operator’s token of this coordinator.';

/** Shown when the address has something after `#` that is no token. */
export const MALFORMED_TOKEN =
  'The link is not complete: what follows # is not an operator’s token. Copy the whole link again.';

/** Whether the coordinator refused the token. */
export function refusesToken(failure: PageFailure | undefined): boolean {
  return failure?.code === 'no-token' || failure?.code === 'not-allowed';
}

const TOKEN = /sfo_[A-Za-z0-9_-]{43}(?![A-Za-z0-9_-])/;

/** A field for the operator's token, or for the link that contains it. The tab keeps it until it is closed or forgotten. */
export function OperatorEntry({
  refused,
  onToken,
}: {
  /** Why an earlier token was refused. */
  readonly refused?: string | undefined;
  readonly onToken: (token: string) => void;
}) {
  const [text, setText] = useState('');
  const [problem, setProblem] = useState<string>();
  const enter = () => {
    const [token] = TOKEN.exec(text) ?? [];
    if (token === undefined) {
      setProblem(
        'This is not an operator’s token. Copy the whole token: it starts with sfo_ and has 47 characters.',
      );
      return;
    }
    operatorToken(token);
    onToken(token);
  };
  return (
    <form
      class="entry"
      onSubmit={(event) => {
        event.preventDefault();
        enter();
      }}
    >
      <TextField
        label="Operator’s token"
        type="password"
        mono
        value={text}
        problem={problem ?? refused}
        hint="Kept only in this tab, until you close it or press Forget. It is sent in a header, never in an address."
        onInput={(value) => {
          setProblem(undefined);
          setText(value);
        }}
      />
      <Button kind="primary" submits>
        Open
      </Button>
    </form>
  );
}
