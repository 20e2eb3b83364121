import type { Operation } from '../../protocol/operation.ts';
import { Refusal } from '../../protocol/refusal.ts';
import { digestBytes } from '../../study/digest.ts';
import type { Caller, Coordinator } from '../coordinator.ts';
import type { HttpRequest } from './http-request.ts';
import {
  addressKey,
  createRateLimiter,
  type Rate,
  type RateLimiter,
  type RateLimits,
  unlimited,
} from './rate-limit.ts';

/** Too many requests; the next one is allowed after `seconds`. */
export class TooMany extends Refusal {
  readonly seconds: number;

  constructor(seconds: number) {
    super(
      'too-many-requests',
      'too many requests in a short time',
      `wait ${seconds} second${seconds === 1 ? '' : 's'} and try again`,
    );
    this.seconds = seconds;
  }
}

/** Checks tokens and limits the rate of requests. */
export interface Gate {
  /** The caller, identified by the request's bearer secret, in the study that is asked for. */
  admit(request: HttpRequest, address: string, study?: string): Promise<Caller>;
  /** Counts a request that needs no token. */
  admitAnyone(address: string): void;
}

/** Tokens that are looked up in the store for an address and were not seen before. */
const LOOKUPS: Rate = { perSecond: 50, burst: 200 };

/** Requests with an open link from one address: a household or a ward, not a crowd. */
const DEVICES: Rate = { perSecond: 1, burst: 60 };
/** Requests with the open link of one study: other studies must be answered too. */
const OPEN_STUDY: Rate = { perSecond: 2000, burst: 5000 };

const TOKEN = /^sf[ocie]_[A-Za-z0-9_-]{43}$/;

export function createGate(
  coordinator: Pick<Coordinator, 'identify'>,
  limits: RateLimits | 'off',
): Gate {
  const limiter = (name: keyof RateLimits): RateLimiter =>
    limits === 'off' ? unlimited : createRateLimiter(limits[name]);
  const anonymous = limiter('anonymous');
  const failures = limiter('failures');
  const tokens = limiter('token');
  const lookups = limits === 'off' ? unlimited : createRateLimiter(LOOKUPS);
  const devices = limits === 'off' ? unlimited : createRateLimiter(DEVICES);
  const openStudies = limits === 'off' ? unlimited : createRateLimiter(OPEN_STUDY);

  const refuse = (address: string): Refusal => {
    const seconds = failures.take(address);
    if (seconds > 0) return new TooMany(seconds);
    return new Refusal(
      'no-token',
      'no valid token: it is missing, unknown, expired or revoked',
      'check the link; if it has expired or was revoked, ask for a new one. A program sends its token as Authorization: Bearer',
    );
  };

  return {
    async admit(request, clientAddress, study) {
      const address = addressKey(clientAddress);
      const token = bearerToken(request);
      if (token === undefined) throw refuse(address);
      const key = digestBytes(new TextEncoder().encode(token));
      if (!tokens.knows(key)) {
        // A valid token is let in whatever else its address did; only a flood is refused without asking the store.
        const seconds = lookups.take(address);
        if (seconds > 0) throw new TooMany(seconds);
      }
      const caller = await coordinator.identify(token, study);
      if (caller === undefined) throw refuse(address);
      // An open link is in many hands: it is limited by address, and for the study.
      const seconds =
        caller.role === 'open'
          ? devices.take(`${caller.study} ${address}`) || openStudies.take(caller.study)
          : tokens.take(key);
      if (seconds > 0) throw new TooMany(seconds);
      return caller;
    },
    admitAnyone(clientAddress) {
      const seconds = anonymous.take(addressKey(clientAddress));
      if (seconds > 0) throw new TooMany(seconds);
    },
  };
}

/** The bearer secret of a request; undefined if it is absent or has the wrong form. */
export function bearerToken(request: HttpRequest): string | undefined {
  const [scheme, token, ...rest] = (request.headers.get('Authorization') ?? '').split(/ +/);
  if (scheme.toLowerCase() !== 'bearer' || rest.length > 0) return undefined;
  return token !== undefined && TOKEN.test(token) ? token : undefined;
}

const STUDY_ID = /^[0-9a-f]{16}$/;

/** Refuses a caller with the wrong role or of another study, and a study id of the wrong form. */
export function checkCaller(caller: Caller, { who }: Operation, study: string | undefined): void {
  const foreign = caller.role !== 'operator' && study !== undefined && caller.study !== study;
  if (!who.includes(caller.role) || foreign) {
    throw new Refusal(
      'not-allowed',
      'this token does not allow this request',
      `use the token of ${who.map((role) => holders[role]).join(' or ')}`,
    );
  }
  if (study !== undefined && !STUDY_ID.test(study)) {
    throw new Refusal('not-found', 'there is no such study', 'check its id');
  }
}

const holders = {
  operator: 'the coordinator’s operator',
  study: 'the analyst of the study',
  site: 'a site of the study',
  open: 'the open link of the study',
};
