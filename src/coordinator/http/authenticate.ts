import type { Operation } from '../../protocol/operation.ts';
import { Refusal } from '../../protocol/refusal.ts';
import { digestBytes } from '../../study/digest.ts';
import type { Caller, Coordinator } from '../coordinator.ts';
import {
  addressKey,
  createRateLimiter,
  type RateLimiter,
  type RateLimits,
  unlimited,
} from './rate-limit.ts';

/** Too many requests; `seconds` until one more is heard. */
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

/** Lets requests in: by token where one is needed, and never too many. */
export interface Gate {
  /** The holder of the request's bearer secret. */
  admit(request: Request, address: string): Promise<Caller>;
  /** Counts a request that needs no token. */
  admitAnyone(address: string): void;
}

const TOKEN = /^sf[oci]_[A-Za-z0-9_-]{43}$/;

export function createGate(
  coordinator: Pick<Coordinator, 'identify'>,
  limits: RateLimits | 'off',
): Gate {
  const limiter = (name: keyof RateLimits): RateLimiter =>
    limits === 'off' ? unlimited : createRateLimiter(limits[name]);
  const anonymous = limiter('anonymous');
  const failures = limiter('failures');
  const tokens = limiter('token');

  const refuse = (address: string): Refusal => {
    const seconds = failures.take(address);
    if (seconds > 0) return new TooMany(seconds);
    return new Refusal(
      'no-token',
      'no valid token: it is missing, unknown, expired or revoked',
      'send Authorization: Bearer and the token of your link; ask for a new one if it has ended',
    );
  };

  return {
    async admit(request, clientAddress) {
      const address = addressKey(clientAddress);
      const token = bearerToken(request);
      if (token === undefined) throw refuse(address);
      const key = digestBytes(new TextEncoder().encode(token));
      if (!tokens.knows(key)) {
        // Where many have failed, the store is no longer asked about tokens never seen to be valid.
        const seconds = failures.wait(address);
        if (seconds > 0) throw new TooMany(seconds);
      }
      const caller = await coordinator.identify(token);
      if (caller === undefined) throw refuse(address);
      const seconds = tokens.take(key);
      if (seconds > 0) throw new TooMany(seconds);
      return caller;
    },
    admitAnyone(clientAddress) {
      const seconds = anonymous.take(addressKey(clientAddress));
      if (seconds > 0) throw new TooMany(seconds);
    },
  };
}

/** The bearer secret of a request; undefined where there is none that could be one. */
export function bearerToken(request: Request): string | undefined {
  const [scheme, token, ...rest] = (request.headers.get('Authorization') ?? '').split(/ +/);
  if (scheme.toLowerCase() !== 'bearer' || rest.length > 0) return undefined;
  return token !== undefined && TOKEN.test(token) ? token : undefined;
}

const STUDY_ID = /^[0-9a-f]{16}$/;

/** A secret of another study or role opens nothing; a study only an operator could name is missing. */
export function checkCaller(caller: Caller, { who }: Operation, study: string | undefined): void {
  const foreign = caller.role !== 'operator' && study !== undefined && caller.study !== study;
  if (!who.includes(caller.role) || foreign) {
    throw new Refusal(
      'not-allowed',
      'this token does not open this',
      `it takes the token of ${who.map((role) => holders[role]).join(' or ')}`,
    );
  }
  if (study !== undefined && !STUDY_ID.test(study)) {
    throw new Refusal('not-found', 'there is no such study', 'check its id');
  }
}

const holders = {
  operator: 'the coordinator’s operator',
  study: 'who runs the study',
  site: 'a site of the study',
};
