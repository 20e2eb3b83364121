import { Refusal } from '../../protocol/refusal.ts';

const LONGEST = 2048;

/**
 * Refuses paths that a router and a file system may read differently: empty or dotted segments,
 * encoded slashes and dots, control characters, invalid escapes.
 */
export function checkPath(path: string): void {
  if (!path.startsWith('/')) throw badPath('the path must start with /');
  if (path.length > LONGEST) throw badPath('the path is too long');
  let decoded: string;
  try {
    decoded = decodeURIComponent(path);
  } catch {
    throw badPath('the path has an invalid escape');
  }
  const hidden = /%(2e|2f|5c)/i.test(path) || /[\p{Cc}\\]/u.test(decoded);
  const segments = path.split('/').slice(1);
  const empty = segments.slice(0, -1).includes('');
  if (hidden || empty || segments.includes('..') || segments.includes('.')) {
    throw badPath('the path has a segment that no address here has');
  }
}

function badPath(problem: string): Refusal {
  return new Refusal('bad-request', problem, 'check the address');
}
