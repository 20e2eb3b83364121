import { useState } from 'preact/hooks';
import { operatorToken } from '../app/operator.ts';
import type { Trouble } from '../desk/trouble.ts';
import { Button } from './button.tsx';
import { TextField } from './field.tsx';

/** What to say of a token the coordinator refuses. */
export const REFUSED_TOKEN =
  'This coordinator does not know that token. Check that it is the operator’s, and of this coordinator.';

/** Whether it was the token that was refused. */
export function refusesToken(trouble: Trouble | undefined): boolean {
  return trouble?.code === 'no-token' || trouble?.code === 'not-allowed';
}

const TOKEN = /sfo_[A-Za-z0-9_-]{43}(?![A-Za-z0-9_-])/;

/** Takes the operator's token, or the link that holds it; the tab keeps it until it is closed or told to forget. */
export function OperatorEntry({
  refused,
  onToken,
}: {
  /** Why the one before was no good. */
  readonly refused?: string | undefined;
  readonly onToken: (token: string) => void;
}) {
  const [text, setText] = useState('');
  const [problem, setProblem] = useState<string>();
  const enter = () => {
    const [token] = TOKEN.exec(text) ?? [];
    if (token === undefined) {
      setProblem(
        'This is no operator’s token. Copy it whole: it starts with sfo_ and has 47 characters.',
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
        hint="Kept in this tab only, until you close it or press Forget. It travels in a header, never in an address."
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
