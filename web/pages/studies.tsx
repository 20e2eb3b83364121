import '../style/study.css';
import { useEffect, useState } from 'preact/hooks';
import { useTitle } from '../app/shell.tsx';
import { forgetOperator, operatorToken } from '../tab/operator-token.ts';
import { addressOf } from '../tab/own-address.ts';
import type { PageProps } from '../tab/page-address.ts';
import { announce } from '../ui/announce.ts';
import { Button } from '../ui/button.tsx';
import { Card } from '../ui/card.tsx';
import { FailureNotice } from '../ui/notice.tsx';
import {
  MALFORMED_TOKEN,
  OperatorEntry,
  REFUSED_TOKEN,
  refusesToken,
} from '../ui/operator-entry.tsx';
import { timeText } from '../ui/text.ts';
import { useAnswer } from '../ui/use-answer.ts';
import { call } from '../worker/call.ts';
import type { ListedStudy } from '../worker/listed-studies.ts';
import { StateTag } from './study/state-tag.tsx';

/** The studies of a coordinator, for its operator. */
export function StudiesPage({ here }: PageProps) {
  useTitle('Studies');
  const [token, setToken] = useState(operatorToken);
  const [refused, setRefused] = useState(here.malformed === true ? MALFORMED_TOKEN : undefined);
  useEffect(() => {
    // The tab remembers the secret, so it is removed from the address and the history.
    if (here.operator !== undefined || here.malformed === true)
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

function Welcome({
  refused,
  onToken,
}: {
  readonly refused: string | undefined;
  readonly onToken: (token: string) => void;
}) {
  return (
    <>
      <div class="heading">
        <h1>One model over data that stays where it is</h1>
        <div class="prose">
          <p>
            Suffice fits a regression over the rows of several sites without moving a row. Each site
            reduces its rows to one small table of sums, looks at it, and sends it once. This
            coordinator adds the sums and solves. For a linear model, the result is exactly the one
            that all rows together would give.
          </p>
        </div>
      </div>
      <div class="columns">
        <Card
          title="You run this coordinator"
          about="The operator’s token opens the list of studies and lets you create one."
        >
          <OperatorEntry refused={refused} onToken={onToken} />
          <p class="small soft">
            Where to find it: <code>suffice serve</code> writes it to a file. At its start it prints
            the path of the file as “admin token”, and a link to this page that contains the token.
          </p>
        </Card>
        <Card
          title="Your site was invited"
          about="You need no token. Open the whole link you were given: it leads to the page where you take part."
        >
          <p class="small soft">
            The part after # is your site’s secret. If it is missing, ask the person who sent the
            link for a new one.
          </p>
        </Card>
      </div>
    </>
  );
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
        <ul class="studies">
          {value.map((study) => (
            <StudyLine
              key={study.id}
              study={study}
              address={addressOf('study', linkOf(study, coordinator, token))}
            />
          ))}
        </ul>
      )}
    </>
  );
}

function linkOf({ id, coordinatorKey }: ListedStudy, coordinator: string, token: string) {
  return { coordinator, study: id, token, coordinatorKey };
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

function StudyLine({ study, address }: { readonly study: ListedStudy; readonly address: string }) {
  const { name, round, formula, state, contributed, expected, deadline, resolution } = study;
  return (
    <li class="card">
      <div class="row">
        <h2>
          <a href={address}>{name ?? `Study ${study.id}`}</a>
          {round !== undefined && <span class="soft"> round {round}</span>}
        </h2>
        <StateTag state={state} />
      </div>
      <code class="formula">{formula}</code>
      <p class="small soft meta">
        <span>
          {contributed} of {expected} sites have contributed
        </span>
        {deadline !== undefined && <span>until {timeText(deadline)}</span>}
        <span>{resolution === undefined ? 'no result yet' : `resolution ${resolution}`}</span>
        <span>created {timeText(study.createdAt)}</span>
      </p>
      {study.problem !== undefined && <p class="small problem">{study.problem}</p>}
    </li>
  );
}
