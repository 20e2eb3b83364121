import type { StudyClient } from '../../protocol/client.ts';
import type { PartyStep } from '../../protocol/party-messages.ts';
import { fromBase64 } from '../../text/base64.ts';
import { byteText, grouped } from '../../text/number-text.ts';
import type { DemoSite, DemoVisits } from './demo-content.ts';
import { trafficLine } from './demo-traffic.ts';

/**
 * What each of two parties sent to whom, by the messages that the coordinator keeps, and how many rows were linked. The first
 * party of the study, which sends the secret, is the first of these.
 */
export async function partyTraffic(
  { joined, as }: DemoVisits,
  sites: readonly DemoSite[],
  rowsOf: (site: string) => number,
): Promise<string> {
  const [one, other] = sites.map(({ name }) => name);
  const linked = sites.map(({ name }) => {
    const { rows } = joined.get(name)!;
    return `  ${name.padEnd(11)}${grouped(rows)} of its ${grouped(rowsOf(name))} rows are linked`;
  });
  const secret: Sent = [
    'the secret of tokens, to the other',
    await lengthOf(as(one), 'secret', one),
  ];
  const [key, ...others] = await sentBy(one, other, as);
  const sent = [[key, secret, ...others], await sentBy(other, one, as)];
  const lines = sent.flatMap((messages, k) => [
    '',
    trafficLine(`${sites[k].name} sent`, 'bytes'),
    ...messages.map(([what, bytes]) => trafficLine(`  ${what}`, byteText(bytes))),
    trafficLine('  its share, to the coordinator', byteText(joined.get(sites[k].name)!.bytes)),
  ]);
  return `A bird counts if both parties have it, with no cell missing:\n\n${linked.join('\n')}\n${lines.join('\n')}\n`;
}

/** A kind of message and its bytes. */
type Sent = readonly [what: string, bytes: number];

/** Messages that every party sends before its share. */
async function sentBy(party: string, other: string, as: DemoVisits['as']): Promise<Sent[]> {
  const own = as(party);
  return [
    ['its key, to the other', await lengthOf(own, 'keys', party)],
    ['tokens of its rows, to the helper', await lengthOf(own, 'tokens', party)],
    ['masked columns, to the other', await lengthOf(as(other), 'columns', party)],
  ];
}

async function lengthOf(reader: StudyClient, step: PartyStep, from: string): Promise<number> {
  const { parts } = await reader.party(step, from, 0);
  let bytes = 0;
  for (let part = 0; part < parts; part++) {
    const { body = '' } = await reader.party(step, from, part);
    bytes += fromBase64(body).length;
  }
  return bytes;
}
