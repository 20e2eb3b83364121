import '../style/start.css';
import '../style/study.css';
import { useEffect, useState } from 'preact/hooks';
import { useTitle } from '../app/shell.tsx';
import { forgetOperator, operatorToken } from '../tab/operator-token.ts';
import type { PageProps } from '../tab/page-address.ts';
import { announce } from '../ui/announce.ts';
import { Button } from '../ui/button.tsx';
import { Card } from '../ui/card.tsx';
import { FailureNotice } from '../ui/notice.tsx';
import { REFUSED_TOKEN, refusesToken } from '../ui/operator-entry.tsx';
import { useAnswer } from '../ui/use-answer.ts';
import { call } from '../worker/call.ts';
import { StudyLines } from './start/study-list.tsx';
import { Welcome } from './start/welcome.tsx';

/** The studies of a coordinator, for its operator. */
export function StudiesPage({ here }: PageProps) {
  useTitle('Studies');
  const [token, setToken] = useState(operatorToken);
  const [refused, setRefused] = useState<string>();
  useEffect(() => {
    // The tab remembers the secret, so it is removed from the address and the history.
    if (here.operator !== undefined || here.unread === true)
      history.replaceState(null, '', `${here.coordinator}/`);
  }, [here]);
  const forget = (reason?: string) => {
    forgetOperator();
    setRefused(reason);
    setToken(undefined);
  };
  if (token === undefined) {
    return (
      <Welcome
        coordinator={here.coordinator}
        unread={here.unread === true && refused === undefined}
        refused={refused}
        onToken={(given) => {
          setRefused(undefined);
          setToken(given);
        }}
      />
    );
  }
  return <StudyList coordinator={here.coordinator} token={token} onForget={forget} />;
}

function StudyList({
  coordinator,
  token,
  onForget,
}: {
  readonly coordinator: string;
  readonly token: string;
  readonly onForget: (reason?: string) => void;
}) {
  const { value, failure } = useAnswer(
    () => call('requestStudyList', [coordinator, token]),
    [token],
  );
  const wrong = refusesToken(failure);
  useEffect(() => {
    if (wrong) onForget(REFUSED_TOKEN);
  }, [wrong]);
  useEffect(() => {
    if (value !== undefined) announce(`${value.length} studies`);
  }, [value]);
  return (
    <>
      <div class="heading">
        <h1>Studies</h1>
        <div class="row">
          <a class="button primary" href={`${coordinator}/create`}>
            New study
          </a>
          <Button kind="quiet" onClick={() => onForget()}>
            Forget the token
          </Button>
        </div>
      </div>
      {failure !== undefined && !wrong && <FailureNotice failure={failure} />}
      {value === undefined && failure === undefined && <div class="waiting" />}
      {value?.length === 0 && <NoStudies coordinator={coordinator} />}
      {value !== undefined && value.length > 0 && (
        <StudyLines studies={value} coordinator={coordinator} token={token} />
      )}
    </>
  );
}

function NoStudies({ coordinator }: { readonly coordinator: string }) {
  return (
    <Card
      title="No study yet"
      about="A study sets the question, the columns and the rules. You need a formula and the names of the sites. A file of your own with rows like theirs helps; it stays with you."
    >
      <div class="row">
        <a class="button primary" href={`${coordinator}/create`}>
          Create your first study
        </a>
      </div>
    </Card>
  );
}
