import { useState } from 'preact/hooks';
import { type StudyLink, sharedLink } from '../../tab/page-address.ts';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/field.tsx';
import { MomentField } from '../../ui/moment-field.tsx';
import { FailureNotice } from '../../ui/notice.tsx';
import { useAct } from '../../ui/use-act.ts';
import { call } from '../../worker/call.ts';
import { NewLink } from './new-link.tsx';

/** Invites one more site. */
export function AddSite({
  link,
  taken,
}: {
  readonly link: StudyLink;
  readonly taken: readonly string[];
}) {
  const [name, setName] = useState('');
  const [expires, setExpires] = useState('');
  const [made, setMade] = useState<{ readonly site: string; readonly link: string }>();
  const act = useAct();
  const site = name.trim();
  const known = taken.includes(site);
  const invite = () => {
    if (site === '' || known) return;
    act.run(async () => {
      const secret = await call('requestInvitation', [
        link,
        site,
        expires === '' ? {} : { expires },
      ]);
      setMade({ site, link: sharedLink('join', { ...link, ...secret }) });
      setName('');
      setExpires('');
    });
  };
  return (
    <details>
      <summary>Invite another site</summary>
      <form
        class="entry"
        onSubmit={(event) => {
          event.preventDefault();
          invite();
        }}
      >
        <TextField
          label="Name of the site"
          value={name}
          problem={known ? 'It is invited already: make a new link for it above.' : undefined}
          onInput={setName}
        />
        <MomentField
          label="Its link stops working"
          hint="Never unless given."
          value={expires}
          onInput={setExpires}
        />
        <Button submits busy={act.busy}>
          Invite
        </Button>
      </form>
      {act.failure !== undefined && <FailureNotice failure={act.failure} />}
      {made !== undefined && (
        <NewLink site={made.site} link={made.link} onDone={() => setMade(undefined)} />
      )}
    </details>
  );
}
