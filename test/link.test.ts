import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openSqliteStore } from '../src/node/store/sqlite-store.ts';
import { type Link, linkText, parseLink } from '../src/protocol/link.ts';
import { createSigningKey, sealDocument } from '../src/protocol/signature.ts';
import { verified } from '../src/protocol/verified.ts';
import { studyDigest } from '../src/study/study.ts';
import { temporaryFolder } from './cli.ts';
import { jsonOf, openSession, study } from './http-study.ts';

const tokenOf = (prefix: string) => `${prefix}_${'A'.repeat(43)}`;
const link = (purpose: Link['purpose'], prefix: string): Link => ({
  coordinator: 'https://host.example/prefix',
  purpose,
  study: '0123456789abcdef',
  token: tokenOf(prefix),
  coordinatorKey: createSigningKey().key,
});

describe('a link', () => {
  it.each([
    ['join', 'sfi'],
    ['study', 'sfc'],
    ['study', 'sfo'],
  ] as const)('for %s may hold a secret %s_', (purpose, prefix) => {
    const one = link(purpose, prefix);
    expect(linkText(one)).toMatch(/^https:\/\/host\.example\/prefix\/(join|study)#0123/);
    expect(parseLink(linkText(one))).toEqual(one);
    expect(parseLink(` ${linkText(one)}\n`)).toEqual(one);
  });

  it.each([
    ['join', 'sfo'],
    ['study', 'sfx'],
    ['join', ''],
  ] as const)(
    'for %s may not hold a secret %s_, and what is said of it has none',
    (purpose, prefix) => {
      const read = parseLink(linkText(link(purpose, prefix)));
      expect(read).toEqual({ problem: 'the part after # is not complete' });
    },
  );
});

describe('a link binds the whole digest', () => {
  const digest = studyDigest(study);
  const coordinator = createSigningKey();
  const bound: Link = {
    ...link('join', 'sfi'),
    study: digest.slice(7, 23),
    digest,
    coordinatorKey: coordinator.key,
  };
  const { digest: _, ...old } = bound;
  // A study whose digest has the same first 64 bits, which an author can look for.
  const other = `${digest.slice(0, 23)}${'0'.repeat(48)}`;
  const receipt = sealDocument(
    {
      schema: 'suffice/receipt@1' as const,
      study: other,
      site: 'north',
      sequence: 1,
      mode: 'add' as const,
      digest: other,
      bytes: 1,
      receivedAt: '2030-01-01T00:00:00.000Z',
      late: false,
      audit: { position: 1, digest: other },
    },
    coordinator,
  );

  it('in its text: 256 bits', () => {
    const text = linkText(bound);
    expect(text).toContain(`#${digest.slice(7)}.sfi_`);
    expect(parseLink(text)).toEqual(bound);
  });

  it('and an old one still opens', () => {
    expect(parseLink(linkText(old))).toEqual(old);
  });

  it('so that a document of a study with the same id is not believed', async () => {
    await expect(verified('Receipt', receipt, old)).resolves.toEqual(receipt);
    await expect(verified('Receipt', receipt, bound)).rejects.toThrow('belongs to another study');
  });

  it('which the coordinator takes in the place of the id', async () => {
    const session = await openSession(await openSqliteStore(join(temporaryFolder(), 's.db')));
    const { created, admin: token } = session;
    const paths = [`/studies/${created.id}`, `/studies/${created.digest.slice(7)}`];
    const views = paths.map((path) =>
      jsonOf<{ digest: string }>(session.ask('GET', path, { token })),
    );
    for (const view of await Promise.all(views)) expect(view.digest).toBe(created.digest);
    expect((await session.ask('GET', `/studies/${'0'.repeat(64)}`, { token })).status).toBe(403);
    await session.store.close();
  });
});
