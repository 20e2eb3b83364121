import { expect, it } from 'vitest';
import { requestStudies, studyClient } from '../src/protocol/client.ts';
import { type Link, linkText, parseLink } from '../src/protocol/link.ts';
import type { StudyView } from '../src/protocol/messages.ts';
import { fileOf, openSession, otherStudy, type Session } from './http-study.ts';
import { eachStore } from './stores.ts';

const address = 'http://localhost';

const fetchFrom =
  ({ app }: Session, change: (body: string) => string = (body) => body): typeof fetch =>
  async (input, init) => {
    const response = await app.fetch(new Request(input, init));
    return new Response(change(await response.text()), response);
  };

eachStore('the list of studies', (open) => {
  it('has what a page shows of each, newest first, and a link to each for the operator', async () => {
    const session = await openSession(await open());
    const { operator, ask, keys, coordinator, created } = session;
    const quorum = { sites: 1, deadline: '2099-01-01T00:00:00.000Z' };
    const json = { study: { ...otherStudy, name: 'second', quorum }, sites: ['east'], draft: true };
    await new Promise((resolve) => setTimeout(resolve, 5)); // times are in milliseconds
    await ask('POST', '/studies', { token: operator, json });
    await session.send('north', fileOf('north', keys.north));
    await coordinator.close({ role: 'operator' }, created.id);
    await coordinator.runDueWork();

    const options = { fetch: fetchFrom(session), retryFor: 0 };
    const studies = await requestStudies(address, operator, options);
    const lines = studies.map(({ id, study, state, createdAt, deadline, sites, resolution }) => ({
      id,
      name: study.name,
      state,
      createdAt,
      deadline,
      contributed: sites.filter((site) => site.state === 'contributed').length,
      expected: sites.length,
      resolution: resolution?.number,
    }));
    expect(lines).toMatchObject([
      { name: 'second', state: 'draft', deadline: quorum.deadline, contributed: 0, expected: 1 },
      { id: created.id, state: 'resolved', contributed: 1, expected: 2, resolution: 1 },
    ]);
    expect(lines[0].createdAt > lines[1].createdAt).toBe(true);

    const [{ id: study, coordinatorKey }] = studies;
    const link: Link = {
      coordinator: address,
      purpose: 'study',
      study,
      token: operator,
      coordinatorKey,
    };
    const client = studyClient(parseLink(linkText(link)) as Link, options);
    expect((await client.open()).state).toBe('open');
    expect((await client.invite('west')).site).toBe('west');
  });

  it('is the operator’s alone, and each study in it must be what its digest says', async () => {
    const session = await openSession(await open());
    const options = { fetch: fetchFrom(session), retryFor: 0 };
    for (const token of [session.admin, session.tokens.north]) {
      await expect(requestStudies(address, token, options)).rejects.toMatchObject({
        code: 'not-allowed',
      });
    }
    const forged = fetchFrom(session, (body) => {
      const { studies, ...rest } = JSON.parse(body) as { studies: StudyView[] };
      const changed = studies.map((view) => ({ ...view, study: otherStudy }));
      return JSON.stringify({ ...rest, studies: changed });
    });
    await expect(
      requestStudies(address, session.operator, { fetch: forged, retryFor: 0 }),
    ).rejects.toThrow('the digest is not that of the study');
  });
});
