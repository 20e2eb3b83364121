import type { WriteStream } from 'node:tty';
import { type Ink, plainInk } from '../../model/text-table.ts';

/** Bold and faint on a terminal, nothing elsewhere or under NO_COLOR. */
export function inkFor(stream: WriteStream): Ink {
  const colours = stream.isTTY && (process.env.NO_COLOR ?? '') === '';
  if (!colours) return plainInk;
  return {
    bold: (text) => `\x1b[1m${text}\x1b[22m`,
    faint: (text) => `\x1b[2m${text}\x1b[22m`,
  };
}
