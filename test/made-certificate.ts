import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export const hasOpenssl: boolean = spawnSync('openssl', ['version']).status === 0;

/** A certificate of its own authority for these names, valid between two times such as 20240101000000Z. */
export function madeCertificate(
  folder: string,
  names: string,
  [from, to]: readonly [from: string, to: string],
): { readonly cert: string; readonly key: string } {
  mkdirSync(folder, { recursive: true });
  const at = (name: string) => join(folder, name);
  writeFileSync(at('index.txt'), '');
  writeFileSync(at('serial'), '01\n');
  writeFileSync(
    at('ca.cnf'),
    [
      '[ca]\ndefault_ca = own\n[own]',
      `dir = ${folder}`,
      'database = $dir/index.txt\nserial = $dir/serial\nnew_certs_dir = $dir\ndefault_md = sha256',
      'policy = any\nx509_extensions = names\n[any]\ncommonName = supplied\n[names]',
      `subjectAltName = ${names}\n`,
    ].join('\n'),
  );
  const openssl = (...args: readonly string[]) =>
    execFileSync('openssl', [...args], { stdio: 'ignore' });
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  openssl(
    ...['req', '-new', ...curve, '-subj', '/CN=test'],
    ...['-keyout', at('key.pem'), '-out', at('request.pem')],
  );
  openssl(
    ...['ca', '-batch', '-selfsign', '-config', at('ca.cnf'), '-keyfile', at('key.pem')],
    ...['-in', at('request.pem'), '-out', at('cert.pem'), '-notext'],
    ...['-startdate', from, '-enddate', to],
  );
  return { cert: at('cert.pem'), key: at('key.pem') };
}
