import '../style/join.css';
import { useEffect, useRef, useState } from 'preact/hooks';
import { addressOf, isSite, type PageProps, type StudyLink } from '../app/here.ts';
import { useTitle } from '../app/shell.tsx';
import { ask } from '../desk/call.ts';
import { announce } from '../ui/announce.ts';
import { Button } from '../ui/button.tsx';
import { Notice, TroubleNotice } from '../ui/notice.tsx';
import { useAnswer } from '../ui/use-answer.ts';
import { Visit } from './join/visit.tsx';

/** A site takes part: sees the study, reads its file here, sees what would leave, approves, has a receipt. */
export function JoinPage({ here }: PageProps) {
  useTitle('Take part');
  const { link } = here;
  useEffect(refuseStrayDrops, []);
  if (link === undefined) return <NoInvitation />;
  if (!isSite(link)) return <RunnersLink link={link} />;
  return <Arriving link={link} />;
}

function Arriving({ link }: { readonly link: StudyLink }) {
  const [attempt, setAttempt] = useState(0);
  const { value, trouble } = useAnswer(
    async () => ({ attempt, arrival: await ask('arrive', [link]) }),
    [attempt],
  );
  // What was known before is none of the visit that begins: a file read meanwhile would belong to neither.
  const arrival = value?.attempt === attempt ? value.arrival : undefined;
  const again = () => setAttempt(attempt + 1);
  const visited = useRef(false);
  if (arrival !== undefined) visited.current = true;
  // In a visit before this one something may have left, or have been approved.
  const untouched = visited.current
    ? 'Nothing more was sent. What you had approved is kept in this browser.'
    : 'Nothing was read, nothing was sent.';
  useEffect(() => {
    if (arrival !== undefined) announce(`The study ${arrival.study.name ?? ''} is here`);
  }, [arrival]);
  if (arrival !== undefined) {
    return <Visit key={attempt} link={link} arrival={arrival} onAgain={again} />;
  }
  return (
    <>
      <header class="heading">
        <h1>Take part in a study</h1>
      </header>
      {trouble === undefined ? (
        <div class="waiting" aria-busy="true">
          <p class="seen-by-readers">Asking for the study</p>
        </div>
      ) : trouble.code === 'no-token' ? (
        <Notice kind="bad" title="This invitation does not work.">
          <p>
            It may have expired, or been revoked, or a newer one was made in its place. {untouched}
          </p>
          <p>Ask whoever sent it to you for a new one.</p>
        </Notice>
      ) : (
        <TroubleNotice trouble={trouble}>
          <p>{untouched}</p>
          <div class="row">
            <Button onClick={again}>Try again</Button>
          </div>
        </TroubleNotice>
      )}
    </>
  );
}

function NoInvitation() {
  return (
    <>
      <header class="heading">
        <h1>Take part in a study</h1>
      </header>
      <Notice kind="warn" title="This link is not complete.">
        <p>
          An invitation is a long link; the part behind # is its secret. Copy all of it, from the
          first to the last character, and open it again.
        </p>
        <p>Where it still does not work, ask whoever sent it to you for a new one.</p>
      </Notice>
    </>
  );
}

function RunnersLink({ link }: { readonly link: StudyLink }) {
  return (
    <>
      <header class="heading">
        <h1>Take part in a study</h1>
      </header>
      <Notice
        kind="warn"
        title="This is the link of who runs the study, not an invitation of a site."
      >
        <p>
          With it you <a href={addressOf('study', link)}>run the study</a> and make invitations. A
          site takes part with its own.
        </p>
      </Notice>
    </>
  );
}

/** A file dropped beside the place for it must not replace the page. */
function refuseStrayDrops(): () => void {
  const refuse = (event: DragEvent) => event.preventDefault();
  addEventListener('dragover', refuse);
  addEventListener('drop', refuse);
  return () => {
    removeEventListener('dragover', refuse);
    removeEventListener('drop', refuse);
  };
}
