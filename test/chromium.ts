import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const { version } = JSON.parse(
  readFileSync(join(root, 'node_modules/@sparticuz/chromium/package.json'), 'utf8'),
);

/**
 * The Chromium of npm, unpacked once on a machine. The package itself takes a file that another process still writes for a
 * whole one: here the folder gets its name when all of it is there.
 */
export function unpackedChromium(): string {
  const folder = join(tmpdir(), `suffice-chromium-${version}`);
  const path = join(folder, 'chromium');
  if (existsSync(path)) return path;
  const draft = mkdtempSync(`${folder}-`);
  const unpack = `await (await import('@sparticuz/chromium')).default.executablePath()`;
  execFileSync(process.execPath, ['--input-type=module', '-e', unpack], {
    cwd: root,
    env: { ...process.env, TMPDIR: draft },
  });
  try {
    renameSync(draft, folder);
  } catch (failure) {
    rmSync(draft, { recursive: true, force: true });
    if (!existsSync(path)) throw failure; // else another process was first
  }
  return path;
}

/** Vitest's global setup: before the workers, of which each would unpack its own. What fails here is told by the tests that need it. */
export function setup(): void {
  try {
    unpackedChromium();
  } catch {
    // launchBrowser says why
  }
}
