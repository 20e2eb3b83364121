import { type IncomingMessage, request as plain } from 'node:http';
import { request as secure } from 'node:https';
import { checkServerIdentity, type DetailedPeerCertificate, type TLSSocket } from 'node:tls';
import { type CheckResult, clockResult, ok, problem, warning } from './check-result.ts';

const PATIENCE_MS = 10_000;
/** Time in which a certificate should have been renewed. */
const RENEW_DAYS = 14;
const DAY = 86_400_000;

/** Checks a coordinator or helper from outside: its certificate, its health, its clock. No secret is sent. */
export async function checkCoordinator(address: string): Promise<readonly CheckResult[]> {
  const url = new URL('healthz', address.endsWith('/') ? address : `${address}/`);
  const before = Date.now();
  let answer: Answer;
  try {
    answer = await ask(url);
  } catch (failure) {
    const { code = '' } = failure as NodeJS.ErrnoException;
    if (url.protocol === 'https:' && (await answersByHttp(url))) return [httpPort(url)];
    const remedy = 'check the address, that the coordinator runs, and what stands between';
    return [problem('coordinator', `${url.origin} does not answer${code && ` (${code})`}`, remedy)];
  }
  const { status, date, certificate, untrusted } = answer;
  const took = Date.now() - before;
  const clock = Date.parse(date ?? '');
  return [
    certificate === undefined
      ? plainResult(url)
      : certificateResult(url.hostname, certificate, untrusted),
    status === 200
      ? ok('coordinator', `${url.origin} is healthy; it answered in ${took} ms`)
      : problem(
          'coordinator',
          `${url.origin} says ${status}`,
          status === 503
            ? 'look at its store and its disk'
            : 'check that the address is that of a coordinator',
        ),
    Number.isNaN(clock)
      ? warning('clock', 'the answer has no date', 'check what stands before the coordinator')
      : // The header has whole seconds: half of one on average, and the way here.
        clockResult('the coordinator', before + took / 2 - (clock + 500), 500 + took),
  ];
}

/** Whether what listens at an https address speaks plain http. */
async function answersByHttp({ href }: URL): Promise<boolean> {
  try {
    await ask(new URL(href.replace(/^https:/, 'http:')));
    return true;
  } catch {
    return false;
  }
}

function httpPort({ host, origin }: URL): CheckResult {
  return problem(
    'certificate',
    `${origin} does not speak TLS: this port answers in plain http`,
    `give http://${host}, or the address of the proxy that has the certificate`,
  );
}

interface Answer {
  readonly status: number;
  readonly date?: string;
  readonly certificate?: DetailedPeerCertificate;
  /** Why this machine does not trust the certificate. */
  readonly untrusted?: string;
}

function ask(url: URL): Promise<Answer> {
  return new Promise((done, failed) => {
    const answered = (response: IncomingMessage) => {
      response.resume();
      const socket = response.socket as TLSSocket;
      const { date } = response.headers;
      done({
        status: response.statusCode ?? 0,
        ...(date === undefined ? {} : { date }),
        ...(url.protocol === 'https:'
          ? { certificate: socket.getPeerCertificate(true), ...untrustedBy(socket) }
          : {}),
      });
    };
    const options = { timeout: PATIENCE_MS, agent: false } as const;
    // An expired certificate is looked at, not refused: nothing is sent but the question.
    const asked =
      url.protocol === 'https:'
        ? secure(url, { ...options, rejectUnauthorized: false }, answered)
        : plain(url, options, answered);
    asked.on('timeout', () =>
      asked.destroy(Object.assign(new Error('timeout'), { code: 'timeout' })),
    );
    asked.on('error', failed);
    asked.end();
  });
}

function untrustedBy({ authorizationError }: TLSSocket): Pick<Answer, 'untrusted'> {
  if (!authorizationError) return {};
  const { code } = authorizationError as Error & { code?: string };
  return { untrusted: code ?? String(authorizationError) };
}

function plainResult({ hostname }: URL): CheckResult {
  if (hostname === 'localhost' || hostname === '[::1]' || hostname.startsWith('127.')) {
    return ok('certificate', 'no TLS, which is not needed on this machine');
  }
  const remedy = 'give the coordinator a certificate, or put a proxy with one before it';
  return problem('certificate', 'no TLS: tokens and contributions can be read on the way', remedy);
}

function certificateResult(
  host: string,
  certificate: DetailedPeerCertificate,
  untrusted: string | undefined,
): CheckResult {
  const ends = Date.parse(certificate.valid_to);
  const days = Math.floor((ends - Date.now()) / DAY);
  const day = Number.isNaN(ends) ? certificate.valid_to : new Date(ends).toISOString().slice(0, 10);
  const renew = 'renew the certificate, then restart the coordinator or its proxy';
  if (ends < Date.now()) return problem('certificate', `expired on ${day}`, renew);
  if (Date.parse(certificate.valid_from) > Date.now()) {
    return problem(
      'certificate',
      'not valid yet',
      'check the clock of this machine, or the certificate',
    );
  }
  if (checkServerIdentity(host.replace(/^\[(.*)\]$/, '$1'), certificate) !== undefined) {
    return problem('certificate', `it is not for ${host}`, 'get one for the name that sites use');
  }
  if (untrusted !== undefined && untrusted !== 'CERT_HAS_EXPIRED') {
    const remedy =
      'send the whole chain with it; where the authority is your own, name its file in NODE_EXTRA_CA_CERTS at every site';
    return problem('certificate', `this machine does not trust it (${untrusted})`, remedy);
  }
  if (days < RENEW_DAYS) return warning('certificate', `expires in ${days} days`, renew);
  return ok('certificate', `for ${host}, until ${day}`);
}
