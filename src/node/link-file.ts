import { readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline/promises';
import { type Link, parseLink } from '../protocol/link.ts';
import { UsageError } from './usage-error.ts';

/** What a person calls a link. */
const NAMES = { join: 'invitation', study: 'study link' } as const;

/**
 * A link from a file, from stdin (`-`), or from the environment: never from the command line, which other users of
 * the machine can read and shells keep.
 */
export async function readLink(
  argument: string | undefined,
  purpose?: Link['purpose'],
): Promise<Link> {
  const name = purpose === undefined ? 'link' : NAMES[purpose];
  if (argument !== undefined && looksLikeLink(argument)) {
    throw new UsageError(
      `the ${name} itself is on the command line, where other users can read it`,
      `save it to a file and give the file's path, give - and paste it, or set ${variable(purpose)}`,
    );
  }
  const { text, source } = await linkSource(argument, name, purpose);
  const link = parseLink(text);
  if ('problem' in link) {
    throw new UsageError(
      `${source} holds no ${name}: ${link.problem}`,
      `copy the whole ${name}, from https:// to its end`,
    );
  }
  if (purpose !== undefined && link.purpose !== purpose) {
    throw new UsageError(
      `${source} holds ${article(NAMES[link.purpose])}, not ${article(NAMES[purpose])}`,
      purpose === 'join'
        ? 'ask who runs the study for an invitation'
        : 'use the link that came with the study when it was created',
      purpose === 'join' ? undefined : { name: 'admin-link' },
    );
  }
  return link;
}

/** Whether a link was typed where a path belongs. */
export function looksLikeLink(argument: string): boolean {
  return /^https?:\/\//i.test(argument.trim()) || /\bsf[ico]_[A-Za-z0-9_-]{20}/.test(argument);
}

async function linkSource(
  argument: string | undefined,
  name: string,
  purpose: Link['purpose'] | undefined,
): Promise<{ readonly text: string; readonly source: string }> {
  if (argument === '-') return { text: await pasted(name), source: 'standard input' };
  if (argument !== undefined) return { text: await readFile(argument, 'utf8'), source: argument };
  const variables = purpose === 'study' ? ['SUFFICE_LINK'] : ['SUFFICE_INVITATION', 'SUFFICE_LINK'];
  const found = variables.find((key) => (process.env[key] ?? '') !== '');
  if (found !== undefined) return { text: process.env[found]!, source: found };
  throw new UsageError(
    `no ${name} was given`,
    `give the path of a file that holds it, give - and paste it, or set ${variable(purpose)}`,
  );
}

async function pasted(name: string): Promise<string> {
  if (process.stdin.isTTY) {
    const lines = createInterface({ input: process.stdin, output: process.stderr });
    try {
      return await lines.question(`paste the ${name}: `);
    } finally {
      lines.close();
    }
  }
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}

function variable(purpose: Link['purpose'] | undefined): string {
  return purpose === 'study' ? 'SUFFICE_LINK' : 'SUFFICE_INVITATION';
}

function article(name: string): string {
  return `${/^[aeiou]/.test(name) ? 'an' : 'a'} ${name}`;
}
