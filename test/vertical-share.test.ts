import { expect, it } from 'vitest';
import { x25519PublicKey } from '../src/cipher/x25519.ts';
import { agreement } from '../src/federate.ts';
import type { PartyPart } from '../src/protocol/party-messages.ts';
import { createSigningKey } from '../src/protocol/signature.ts';
import type { PartyExchange } from '../src/site/exchange-mail.ts';
import { exchangeColumns } from '../src/site/party-exchange.ts';
import type { TableStudy } from '../src/study/study.ts';
import { fromBase64, toBase64 } from '../src/text/base64.ts';
import { toBase64url } from '../src/text/base64url.ts';
import { messageBytes } from '../src/vertical/exchange-messages.ts';
import { rowsInMemory } from '../src/vertical/federate-parties.ts';
import { answerLinks, openTokens } from '../src/vertical/helper-links.ts';
import { ownSums } from '../src/vertical/party.ts';
import { partyModel, verticalStudy } from '../src/vertical/vertical-study.ts';

const keys = { hospital: createSigningKey(), registry: createSigningKey() };
const linker = {
  secret: new Uint8Array(32).fill(3),
  signing: createSigningKey(),
  seeds: new Uint8Array(32).fill(4),
};
const helper = {
  url: 'https://helper.example',
  key: toBase64url(x25519PublicKey(linker.secret)),
  signingKey: linker.signing.key,
};
const roster = { hospital: keys.hospital.key, registry: keys.registry.key };
const study = verticalStudy(
  agreement({
    schema: 'suffice/study@1',
    formula: 'outcome ~ age',
    codebook: {
      age: { type: 'number', range: [0, 110] },
      outcome: { type: 'number', range: [0, 10] },
    },
    fusion: { kind: 'ridge', ridge: 0 },
    arithmetic: 'exact',
    partition: {
      ...{ kind: 'vertical', key: ['id'], roster, helper },
      parties: { hospital: ['age'], registry: ['outcome'] },
    },
  } as TableStudy),
);
const people = Array.from({ length: 12 }, (_, k) => k);
const tables = {
  hospital: { id: people.map((k) => `p${k}`), age: people.map((k) => 30 + k) },
  registry: { id: people.map((k) => `p${k}`), outcome: people.map((k) => k % 7) },
};
type Name = keyof typeof tables;

/** A coordinator of messages that belongs to the registry: it keeps the last message of a step, whatever came before. */
function relay() {
  const mail = new Map<string, Uint8Array>();
  const states = new Map<string, string>();
  const exchange = (site: Name): PartyExchange =>
    ({
      membership: { site },
      notice: () => {},
      store: {
        key: async () => keys[site],
        masks: async () => states.get(site),
        keepMasks: async (_: string, __: string, text: string) => states.set(site, text),
      },
      client: {
        async sendParty({ step, to, body }: PartyPart) {
          mail.set(`${step} ${site} ${to}`, fromBase64(body));
        },
        async party(step: string, from: string) {
          const to = step === 'columns' ? site : '';
          if (step === 'links') return answer();
          const bytes = mail.get(`${step} ${from} ${to}`);
          return bytes === undefined ? { parts: 0 } : { parts: 1, body: toBase64(bytes) };
        },
      },
    }) as unknown as PartyExchange;
  const answer = () => {
    const tokens = (['hospital', 'registry'] as const).map((one) => mail.get(`tokens ${one} `));
    if (tokens.includes(undefined)) return { parts: 0 };
    const messages = tokens.map((bytes) => JSON.parse(new TextDecoder().decode(bytes)));
    const opened = openTokens({ study, roster, helper }, linker, messages);
    if ('problem' in opened) throw new Error(opened.problem);
    const bytes = messageBytes(answerLinks({ study, roster, helper }, linker, opened));
    return { parts: 1, body: toBase64(bytes) };
  };
  const run = (site: Name, columns: (typeof tables)[Name] = tables[site]) => {
    const rows = rowsInMemory(study, site, columns);
    const part = partyModel(study, site);
    return exchangeColumns(
      exchange(site),
      study,
      rows,
      async (order) => ownSums(part, rows, order).statistic,
    );
  };
  return { run, states };
}

it('a party makes one share: it is not asked again with other columns, which would tell its masks', async () => {
  const { run, states } = relay();
  const [first] = await Promise.all([run('hospital'), run('registry')]);
  // The same again is the same share, so a killed process goes on.
  expect((await run('hospital')).share).toEqual(first.share);
  // The registry forgets what it has noted, and sends columns that differ in one row: the difference of two shares would be a mask of the hospital.
  const state = JSON.parse(states.get('registry')!);
  const { columns: _, ...sent } = Object.fromEntries(
    Object.entries(state.sent).map(([name, digest]) => [name.split(' ')[0], digest]),
  );
  const { share: __, ...forgotten } = sent;
  states.set('registry', JSON.stringify({ ...state, sent: forgotten }));
  const other = tables.registry.outcome.map((value, k) => (k === 5 ? value + 1 : value));
  await run('registry', { ...tables.registry, outcome: other });
  await expect(run('hospital')).rejects.toMatchObject({
    code: 'conflict',
    message: expect.stringContaining('the columns of another party have changed'),
  });
});
