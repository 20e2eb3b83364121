import '../style/join.css';
import { useEffect, useRef, useState } from 'preact/hooks';
import { useTitle } from '../app/shell.tsx';
import { addressOf } from '../tab/own-address.ts';
import { isSite, type PageProps, type StudyLink } from '../tab/page-address.ts';
import { announce } from '../ui/announce.ts';
import { Button } from '../ui/button.tsx';
import { Card } from '../ui/card.tsx';
import { FailureNotice, Notice } from '../ui/notice.tsx';
import { useAnswer } from '../ui/use-answer.ts';
import { call } from '../worker/call.ts';
import { JoinFlow } from './join/join-flow.tsx';
import { OwnKey } from './join/own-key.tsx';

/** A site takes part: sees the study, reads its file in the tab, sees the contribution, approves it, gets a receipt. */
export function JoinPage({ here }: PageProps) {
  useTitle('Take part');
  const { link } = here;
  useEffect(refuseStrayDrops, []);
  if (link === undefined) return <NoInvitation />;
  if (!isSite(link)) return <AnalystLink link={link} />;
  return <InvitedSite link={link} />;
}

function InvitedSite({ link }: { readonly link: StudyLink }) {
  const [attempt, setAttempt] = useState(0);
  const { value, failure } = useAnswer(
    async () => ({ attempt, landing: await call('openLink', [link]) }),
    [attempt],
  );
  // The landing of an earlier attempt is not used: a file read with it would belong to no session.
  const landing = value?.attempt === attempt ? value.landing : undefined;
  const again = () => setAttempt(attempt + 1);
  const hadSession = useRef(false);
  if (landing !== undefined) hadSession.current = true;
  // In an earlier session of this page something may have been approved or sent.
  const untouched = hadSession.current
    ? 'Nothing more was sent. What you approved is kept in this browser.'
    : 'Nothing was read, nothing was sent.';
  useEffect(() => {
    if (landing !== undefined) announce(`The study ${landing.study.name ?? ''} is loaded`);
  }, [landing]);
  if (landing !== undefined) {
    return <JoinFlow key={attempt} link={link} landing={landing} onAgain={again} />;
  }
  return (
    <>
      <header class="heading">
        <h1>Take part in a study</h1>
      </header>
      {failure === undefined && (
        <div class="waiting" aria-busy="true">
          <p class="seen-by-readers">Loading the study</p>
        </div>
      )}
      {failure?.code === 'no-token' && (
        <Notice kind="bad" title="This invitation does not work.">
          <p>It may have expired, been revoked, or been replaced by a newer one. {untouched}</p>
          <p>Ask the person who sent it for a new one.</p>
        </Notice>
      )}
      {failure !== undefined && failure.code !== 'no-token' && (
        <FailureNotice failure={failure}>
          <p>{untouched}</p>
          <div class="row">
            <Button onClick={again}>Try again</Button>
          </div>
        </FailureNotice>
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
      {location.hash === '' ? (
        <Notice kind="info" title="You take part with an invitation.">
          <p>It is a long link that the analyst sends you. Open the whole link in this browser.</p>
        </Notice>
      ) : (
        <Notice kind="warn" title="This link is not complete.">
          <p>
            An invitation is a long link; the part after # is its secret. Copy the whole link, from
            the first to the last character, and open it again.
          </p>
          <p>If it still does not work, ask the person who sent it for a new one.</p>
        </Notice>
      )}
      <KeyCard />
    </>
  );
}

/** For a site that is not invited yet: its key, which an analyst needs first for a secure study. */
function KeyCard() {
  const { value, failure } = useAnswer(() => call('ownKey', []), []);
  return (
    <Card
      title="The key of this browser"
      about="Before a study in which nobody sees the numbers of one site, the analyst asks each site for its key. Send this one; it is public. Its secret half stays in this browser, so take part in this browser later."
    >
      {value !== undefined && <OwnKey value={value} />}
      {failure !== undefined && <FailureNotice failure={failure} />}
    </Card>
  );
}

function AnalystLink({ link }: { readonly link: StudyLink }) {
  return (
    <>
      <header class="heading">
        <h1>Take part in a study</h1>
      </header>
      <Notice kind="warn" title="This is the analyst’s link, not the invitation of a site.">
        <p>
          With it you <a href={addressOf('study', link)}>run the study</a> and make invitations. A
          site takes part with its own invitation.
        </p>
      </Notice>
    </>
  );
}

/** A file dropped outside its place would otherwise replace the page. */
function refuseStrayDrops(): () => void {
  const refuse = (event: DragEvent) => event.preventDefault();
  addEventListener('dragover', refuse);
  addEventListener('drop', refuse);
  return () => {
    removeEventListener('dragover', refuse);
    removeEventListener('drop', refuse);
  };
}
