import { readFileSync } from 'node:fs';
import { Refusal } from '../protocol/refusal.ts';
import { UsageError } from '../usage-error.ts';
import type { Io } from './io.ts';

/** The address in `--coordinator`, without a trailing slash. */
export function coordinatorAddress(text: string): string {
  let url: URL | undefined;
  try {
    url = new URL(text);
  } catch {
    // refused below
  }
  if (
    url === undefined ||
    !/^https?:$/.test(url.protocol) ||
    url.search !== '' ||
    url.hash !== ''
  ) {
    throw new UsageError(
      '--coordinator is no address',
      'try --coordinator https://suffice.example.org',
    );
  }
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`;
}

/** The operator's token from the file in `--token-file`, or from the environment. */
export function givenOperatorToken(file: string | undefined, io: Io): string {
  const token = file === undefined ? io.env.SUFFICE_ADMIN_TOKEN : readFileSync(file, 'utf8');
  if (token === undefined || token.trim() === '') {
    throw new UsageError(
      'no operator’s token was given',
      'give --token-file with the file that suffice serve names at its start, or set SUFFICE_ADMIN_TOKEN',
    );
  }
  if (/^sfo_[A-Za-z0-9_-]{43}$/.test(token.trim())) return token.trim();
  throw new Refusal(
    'no-token',
    'what was given is no operator’s token',
    'copy it whole from the file that suffice serve names at its start',
  );
}
