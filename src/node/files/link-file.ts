import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline/promises';
import type { Readable, Writable } from 'node:stream';
import { type Link, parseLink } from '../../protocol/link.ts';
import { UsageError } from '../../usage-error.ts';

/** Names of links in messages. */
const NAMES = { join: 'invitation', study: 'study link' } as const;

/** Where a link may come from. */
export interface LinkSources {
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly stderr: Writable;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Folder of a relative path; the process's own unless given. */
  readonly cwd?: string;
}

/**
 * A link from a file, from stdin (`-`), or from the environment. Never from the command line: other users of the
 * machine can read it, and shells store it.
 */
export async function readLink(
  argument: string | undefined,
  purpose: Link['purpose'] | undefined,
  sources: LinkSources,
): Promise<Link> {
  const name = purpose === undefined ? 'link' : NAMES[purpose];
  if (argument !== undefined && looksLikeLink(argument)) {
    throw new UsageError(
      `the ${name} itself is on the command line, where other users can read it`,
      `save it to a file and give the file's path, give - and paste it, or set ${variable(purpose)}`,
    );
  }
  const { text, source } = await linkSource(argument, name, purpose, sources);
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
        ? 'ask the analyst for an invitation'
        : 'use the link that came with the study when it was created',
      purpose === 'join' ? undefined : { name: 'admin-link' },
    );
  }
  return link;
}

/** Whether the argument is a link instead of a path. */
export function looksLikeLink(argument: string): boolean {
  return /^https?:\/\//i.test(argument.trim()) || /\bsf[icoe]_[A-Za-z0-9_-]{20}/.test(argument);
}

async function linkSource(
  argument: string | undefined,
  name: string,
  purpose: Link['purpose'] | undefined,
  sources: LinkSources,
): Promise<{ readonly text: string; readonly source: string }> {
  if (argument === '-') return { text: await pasted(name, sources), source: 'standard input' };
  if (argument !== undefined) {
    const { cwd } = sources;
    const path = cwd === undefined ? argument : resolve(cwd, argument);
    return { text: await readFile(path, 'utf8'), source: argument };
  }
  const { env } = sources;
  const variables = purpose === 'study' ? ['SUFFICE_LINK'] : ['SUFFICE_INVITATION', 'SUFFICE_LINK'];
  const found = variables.find((key) => (env[key] ?? '') !== '');
  if (found !== undefined) return { text: env[found]!, source: found };
  throw new UsageError(
    `no ${name} was given`,
    `give the path of a file that holds it, give - and paste it, or set ${variable(purpose)}`,
  );
}

async function pasted(
  name: string,
  { stdin, stderr }: Pick<LinkSources, 'stdin' | 'stderr'>,
): Promise<string> {
  if (stdin.isTTY === true) {
    const lines = createInterface({ input: stdin, output: stderr });
    try {
      return await lines.question(`paste the ${name}: `);
    } finally {
      lines.close();
    }
  }
  const chunks: Buffer[] = [];
  for await (const chunk of stdin) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}

function variable(purpose: Link['purpose'] | undefined): string {
  return purpose === 'study' ? 'SUFFICE_LINK' : 'SUFFICE_INVITATION';
}

function article(name: string): string {
  return `${/^[aeiou]/.test(name) ? 'an' : 'a'} ${name}`;
}
