import { communication } from '../../protocol/communication.ts';
import type { StudyView } from '../../protocol/messages.ts';
import { byteText } from '../../text/number-text.ts';
import type { Ink } from '../../text/text-table.ts';
import type { Demo, DemoVisits } from './demo-content.ts';

/** The bytes of each site; only those of its contribution where the coordinator does not show its traffic. */
export function trafficText(
  { sites, layout }: StudyView,
  joined: DemoVisits['joined'],
  demo: Demo,
  ink: Ink,
): string {
  const traffic = communication(layout, sites);
  const counted = new Map(traffic.sites.map((one) => [one.site, one]));
  const what =
    counted.size === 0 ? 'bytes of one contribution' : 'bytes on the wire, headers included';
  const lines = [
    ink.faint(trafficLine(what, 'sent', 'received', 'its rows')),
    ...demo.sites.map(({ name, bytes }) => {
      const { up, down } = counted.get(name) ?? { up: joined.get(name)!.bytes, down: undefined };
      const received = down === undefined ? '' : byteText(down);
      return trafficLine(name, byteText(up), received, byteText(bytes));
    }),
    ...traffic.fedAvg.map(({ rounds, up, down }) =>
      trafficLine(`FedAvg, ${rounds} rounds, numbers alone`, byteText(up), byteText(down)),
    ),
    demo.traffic === undefined ? '' : `\n${demo.traffic}\n`,
  ];
  return lines.join('\n');
}

/** A line of a table of bytes. */
export function trafficLine(label: string, ...bytes: readonly string[]): string {
  return `  ${label.padEnd(36)}${bytes.map((text) => text.padStart(12)).join('')}`;
}
