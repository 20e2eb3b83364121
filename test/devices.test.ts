import { expect, it } from 'vitest';
import type { Caller, Coordinator } from '../src/coordinator/coordinator.ts';
import { createCoordinator } from '../src/coordinator/create-coordinator.ts';
import { createApp } from '../src/coordinator/http/app.ts';
import { verifyAuditLog } from '../src/protocol/audit-chain.ts';
import { deviceName, type OpenEnrolment, type SealedEnrolment } from '../src/protocol/enrolment.ts';
import type { Link } from '../src/protocol/link.ts';
import type { SealedReceipt, StudyCreated } from '../src/protocol/messages.ts';
import { createSigningKey, type SigningKey, sealDocument } from '../src/protocol/signature.ts';
import { ownLink } from '../src/site/enrol.ts';
import { studyDigest } from '../src/study/study.ts';
import { fileOf, request, study } from './http-study.ts';
import { eachStore } from './stores.ts';

const operator: Caller = { role: 'operator' };
const digest = studyDigest(study);

interface Open {
  readonly coordinator: Coordinator;
  readonly created: StudyCreated;
  readonly device: Caller;
}

const nameOf = ({ key }: SigningKey) => deviceName(digest, key);
const enrolmentOf = (key: SigningKey, about = digest): SealedEnrolment =>
  sealDocument({ schema: 'suffice/enrolment@1', study: about }, key);
const deviceFile = (key: SigningKey, seed = 1, sequence = 1, mode: 'add' | 'replace' = 'add') =>
  fileOf(nameOf(key), key, { seed, turn: { sequence, mode } });

eachStore('a study that is open to devices', (open) => {
  const opened = async (enrolment: OpenEnrolment = {}): Promise<Open> => {
    const coordinator = await createCoordinator({ store: await open() });
    const created = await coordinator.create(operator, { study, sites: [], open: enrolment });
    const device = await coordinator.identify(created.openToken ?? '');
    return { coordinator, created, device: device! };
  };
  const seen = async ({ coordinator, created }: Open) =>
    (await coordinator.view(operator, created.id)).devices;
  const log = async ({ coordinator, created }: Open) =>
    (await coordinator.auditLog(operator, created.id)).entries;

  it('enrols a device by its key, and gives the same secret again', async () => {
    const at = await opened();
    const { coordinator, created, device } = at;
    const key = createSigningKey();
    const [first, again] = await Promise.all([
      coordinator.enrol(device, created.id, enrolmentOf(key)),
      coordinator.enrol(device, created.id, enrolmentOf(key)),
    ]);
    expect(again).toEqual(first);
    expect(first.site).toBe(nameOf(key));
    const own = await coordinator.identify(first.token);
    expect(own).toEqual({ role: 'site', study: created.id, site: first.site });
    const { you, sites } = await coordinator.view(own!, created.id);
    expect(you).toEqual({ site: first.site, nextSequence: 1 });
    expect(sites.map(({ name }) => name)).toEqual([first.site]);
    expect(await seen(at)).toMatchObject({ enrolled: 1, open: true });
    expect((await log(at)).filter(({ event }) => event === 'enrolled')).toHaveLength(1);
  });

  it('enrols and stores a contribution in one request, once', async () => {
    const at = await opened({ atMost: 40 });
    const { coordinator, created, device } = at;
    const keys = Array.from({ length: 40 }, createSigningKey);
    const send = (key: SigningKey, k: number) =>
      coordinator.contributeAsDevice(device, created.id, deviceFile(key, k + 1));
    const twice = await Promise.all([...keys.map(send), ...keys.map(send)]);
    expect(twice.filter(({ created: isNew }) => isNew)).toHaveLength(40);
    expect(twice.slice(40).map(({ receipt }) => receipt)).toEqual(
      twice.slice(0, 40).map(({ receipt }) => receipt),
    );
    expect(await seen(at)).toMatchObject({ enrolled: 40, contributed: 40, open: false });
    // All that may enrol have contributed: nobody is left to wait for.
    expect((await coordinator.view(operator, created.id)).state).toBe('closed');
    await coordinator.runDueWork();
    const { contributions } = await coordinator.resolution(operator, created.id, 'latest');
    expect(contributions.map(({ site }) => site)).toEqual(keys.map(nameOf).sort());
    const audit = await coordinator.auditLog(operator, created.id);
    const expected = { studyDigest: digest, coordinatorKey: created.coordinatorKey };
    expect(verifyAuditLog(audit, expected)).toMatchObject({ ok: true });
  });

  it('refuses a device beyond the limit, after the end, and with another’s name, and stores nothing', async () => {
    const at = await opened({ atMost: 1 });
    const { coordinator, created, device } = at;
    const [first, second] = [createSigningKey(), createSigningKey()];
    await expect(
      coordinator.enrol(device, created.id, enrolmentOf(first, `sha256:${'0'.repeat(64)}`)),
    ).rejects.toMatchObject({ code: 'not-allowed' });
    const stolen = { ...enrolmentOf(first), seal: { ...enrolmentOf(first).seal, key: second.key } };
    await expect(coordinator.enrol(device, created.id, stolen)).rejects.toMatchObject({
      code: 'not-allowed',
    });
    const { token } = await coordinator.enrol(device, created.id, enrolmentOf(first));
    await expect(
      coordinator.contributeAsDevice(device, created.id, deviceFile(second)),
    ).rejects.toMatchObject({ code: 'gone' });
    await expect(
      coordinator.contributeAsDevice(device, created.id, fileOf(nameOf(first), second)),
    ).rejects.toMatchObject({ code: 'not-allowed' });
    await coordinator.endEnrolment(operator, created.id);
    await expect(
      coordinator.enrol(device, created.id, enrolmentOf(createSigningKey())),
    ).rejects.toMatchObject({ code: 'gone' });
    expect(await seen(at)).toMatchObject({ enrolled: 1, contributed: 0, open: false });
    // The one that is in goes on, and gets its secret again.
    expect((await coordinator.enrol(device, created.id, enrolmentOf(first))).token).toBe(token);
    const { receipt } = await coordinator.contributeAsDevice(device, created.id, deviceFile(first));
    expect(receipt.late).toBe(false);
  });

  it('lets no more devices in than it may, however many come at once and to whichever coordinator', async () => {
    const store = await open();
    const [one, two] = [await createCoordinator({ store }), await createCoordinator({ store })];
    const created = await one.create(operator, { study, sites: [], open: { atMost: 7 } });
    const device = (await one.identify(created.openToken ?? ''))!;
    const keys = Array.from({ length: 20 }, createSigningKey);
    const tried = await Promise.allSettled(
      keys.flatMap((key, k) => [
        one.enrol(device, created.id, enrolmentOf(key)),
        two.contributeAsDevice(device, created.id, deviceFile(key, k + 1)),
        two.contributeAsDevice(device, created.id, deviceFile(key, 99, 2)), // refused
      ]),
    );
    expect(tried.some(({ status }) => status === 'rejected')).toBe(true);
    const at = { coordinator: one, created, device };
    expect(await seen(at)).toMatchObject({ enrolled: 7, contributed: 7, open: false });
    const events = (await log(at)).map(({ event }) => event);
    for (const event of ['enrolled', 'contributed']) {
      expect(events.filter((each) => each === event)).toHaveLength(7);
    }
  });

  it('takes one contribution of a device, which it can replace, and withdraw', async () => {
    const at = await opened();
    const { coordinator, created, device } = at;
    const key = createSigningKey();
    await coordinator.contributeAsDevice(device, created.id, deviceFile(key));
    const { site, token } = await coordinator.enrol(device, created.id, enrolmentOf(key));
    const own = (await coordinator.identify(token))!;
    await expect(
      coordinator.contribute(own, created.id, deviceFile(key, 2, 2)),
    ).rejects.toMatchObject({ code: 'conflict' });
    await coordinator.contribute(own, created.id, deviceFile(key, 3, 2, 'replace'));
    expect((await coordinator.receipts(own, created.id)).receipts).toHaveLength(1);
    const withdrawal = sealDocument(
      { schema: 'suffice/withdrawal@1', study: digest, site, sequence: 3 } as const,
      key,
    );
    const { erased } = await coordinator.withdraw(own, created.id, { withdrawal });
    expect(erased).toHaveLength(1);
    expect(await seen(at)).toMatchObject({ enrolled: 1, contributed: 0, withdrawn: 1 });
    await coordinator.revoke(operator, created.id, site);
    expect(await coordinator.identify(token)).toBeUndefined();
  });
});

eachStore(
  'an open link',
  (open) => {
    it('is limited by address, so that one address cannot enrol a crowd', async () => {
      const coordinator = await createCoordinator({ store: await open() });
      const created = await coordinator.create(operator, { study, sites: [], open: {} });
      const app = createApp(coordinator);
      const send = (address: string) => {
        const key = createSigningKey();
        const asked = request('POST', `/studies/${created.id}/devices/contributions`, {
          token: created.openToken!,
          body: deviceFile(key),
          headers: { 'Content-Type': 'application/octet-stream' },
        });
        return app.fetch(asked, { address, secure: true });
      };
      const statuses: number[] = [];
      for (let k = 0; k < 70; k++) statuses.push((await send('192.0.2.1')).status);
      const taken = statuses.filter((status) => status === 201).length;
      expect(taken).toBeGreaterThanOrEqual(60);
      expect(statuses.at(-1)).toBe(429);
      const other = await send('192.0.2.2');
      expect(other.status).toBe(201);
      expect(((await other.json()) as SealedReceipt).late).toBe(false);
      const { devices } = await coordinator.view(operator, created.id);
      expect(devices).toMatchObject({ enrolled: taken + 1, contributed: taken + 1 });
    });

    it('is refused where the study counts on sites that somebody knows', async () => {
      const coordinator = await createCoordinator({ store: await open() });
      const held = { ...study, aggregation: { kind: 'plain', minimumSites: 3 } } as const;
      await expect(
        coordinator.create(operator, { study: held, sites: [], open: {} }),
      ).rejects.toMatchObject({ code: 'bad-request' });
      expect((await coordinator.list(operator)).studies).toHaveLength(0);
    });
  },
  ['sqlite'],
);

it('a device keeps no secret that a coordinator gives for another one', async () => {
  const store = { key: async () => createSigningKey() };
  const link: Link = {
    ...{ coordinator: 'http://127.0.0.1:9', study: 'study', digest, purpose: 'join' },
    ...{ coordinatorKey: createSigningKey().key, token: `sfe_${'a'.repeat(43)}` },
  };
  let asked = 0;
  const lying: typeof fetch = async () => {
    asked++;
    const site = nameOf(createSigningKey());
    return Response.json({ site, token: `sfi_${'b'.repeat(43)}` });
  };
  const enrolling = ownLink(link, store, { fetch: lying, retryFor: 0 });
  await expect(enrolling).rejects.toThrow('the coordinator enrolled another device than this one');
  expect(asked).toBe(1);
});
