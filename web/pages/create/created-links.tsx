import { useEffect, useRef, useState } from 'preact/hooks';
import { addressOf } from '../../tab/own-address.ts';
import { sharedLink } from '../../tab/page-address.ts';
import { rememberToken } from '../../tab/study-token.ts';
import { announce } from '../../ui/announce.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { csvOf } from '../../ui/data-table.tsx';
import { Digest } from '../../ui/digest.tsx';
import { download } from '../../ui/download.ts';
import { Notice } from '../../ui/notice.tsx';
import type { StudyLinks as Created } from '../../worker/create.ts';

/** The links of a new study: shown once, and stored nowhere. */
export function CreatedLinks({
  coordinator,
  created,
  name,
}: {
  readonly coordinator: string;
  readonly created: Created;
  readonly name: string;
}) {
  const heading = useRef<HTMLHeadingElement>(null);
  const [saved, setSaved] = useState(false);
  const { id: study, digest, coordinatorKey, admin, invitations } = created;
  const address = (page: 'study' | 'join', token: string) =>
    sharedLink(page, { coordinator, study, digest, token, coordinatorKey });
  const [place] = useState(() => {
    const link = { coordinator, study, digest, token: admin, coordinatorKey };
    rememberToken(link);
    return addressOf('study', link);
  });
  const own = { site: 'the analyst', link: address('study', admin) };
  const invited = invitations.map(({ site, token }) => ({ site, link: address('join', token) }));
  useEffect(() => {
    heading.current?.focus();
    announce('The study is created. Its links are shown once.');
  }, []);
  useEffect(() => {
    if (saved) return;
    const warn = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener('beforeunload', warn);
    return () => removeEventListener('beforeunload', warn);
  }, [saved]);
  const keep = (file: string, content: string, type: string) => {
    download(file, [content], type);
    setSaved(true);
  };
  const keepTable = () =>
    keep(
      'links.csv',
      csvOf(
        [{ name: 'site' }, { name: 'link' }],
        [own, ...invited].map(({ site, link }) => [{ value: site }, { value: link }]),
      ),
      'text/csv',
    );
  return (
    <>
      <div class="heading">
        <h1 ref={heading} tabIndex={-1}>
          {name === '' ? 'The study' : name} is {created.state === 'draft' ? 'a draft' : 'open'}
        </h1>
        <Digest text={created.digest} />
      </div>
      <Notice kind="warn" title="These links are shown once">
        <p>
          Neither the coordinator nor this page keeps a copy. Save the links before you leave this
          page. A lost link can be replaced on the page of the study; the old one then stops
          working.
        </p>
        <div class="row">
          <Button onClick={keepTable}>Download all as CSV</Button>
          <Button onClick={() => keep('links.txt', linesOf([own, ...invited]), 'text/plain')}>
            Download all as text
          </Button>
        </div>
      </Notice>
      <Card
        title="Your link"
        about="With this link you run the study: close it, resolve it, invite and revoke sites. Keep it secret."
      >
        <LinkLine name="The analyst’s link" link={own.link} onCopy={setSaved} />
        <div class="row">
          <a class="button primary" href={place} onClick={() => setSaved(true)}>
            Go to the study
          </a>
        </div>
      </Card>
      <Card
        title="One for each site"
        about="Send each link in a way that only its site can read. It opens the page where the site takes part, and works with suffice join too."
        aside={
          <CopyButton
            text={() => {
              setSaved(true);
              return linesOf(invited);
            }}
          >
            Copy the sites’ links
          </CopyButton>
        }
      >
        <ul class="links">
          {invited.map(({ site, link }) => (
            <li key={site}>
              <LinkLine name={site} link={link} onCopy={setSaved} />
            </li>
          ))}
        </ul>
      </Card>
    </>
  );
}

interface Line {
  readonly site: string;
  readonly link: string;
}

function linesOf(lines: readonly Line[]): string {
  return `${lines.map(({ site, link }) => `${site}\n${link}`).join('\n\n')}\n`;
}

function LinkLine({
  name,
  link,
  onCopy,
}: {
  readonly name: string;
  readonly link: string;
  readonly onCopy: (copied: boolean) => void;
}) {
  return (
    <div class="link-line">
      <span>{name}</span>
      <code class="secret">{link}</code>
      <CopyButton
        text={() => {
          onCopy(true);
          return link;
        }}
      >
        Copy
      </CopyButton>
    </div>
  );
}
