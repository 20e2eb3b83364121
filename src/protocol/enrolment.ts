import { digestBytes } from '../study/digest.ts';
import type { Link } from './link.ts';
import type { Sealed } from './signature.ts';

/** A device asks to take part in a study that is open to all who hold its link. The seal is the device's. */
export interface Enrolment {
  readonly schema: 'suffice/enrolment@1';
  /** Digest of the study. */
  readonly study: string;
}

export type SealedEnrolment = Sealed<Enrolment>;

/** Opens a study to devices: one link for all of them. */
export interface OpenEnrolment {
  /** Most devices that may enrol; any number unless given. */
  readonly atMost?: number;
  /** When enrolling ends, as an ISO 8601 time in UTC. */
  readonly ends?: string;
}

/** How many devices take part, in place of their names. */
export interface DevicesView extends OpenEnrolment {
  readonly enrolled: number;
  readonly contributed: number;
  readonly withdrawn: number;
  /** Whether a device can enrol now. */
  readonly open: boolean;
}

const PREFIX = 'device-';

/** The name of a device in a study: it follows from its key, so a device knows it before it enrols, and one key is one device. */
export function deviceName(study: string, key: string): string {
  const text = `suffice/device@1\n${study}\n${key}`;
  const digest = digestBytes(new TextEncoder().encode(text));
  return PREFIX + digest.slice('sha256:'.length, 'sha256:'.length + 24);
}

/** Whether a link is for any device, and not for one site. */
export function isOpenLink({ token }: Pick<Link, 'token'>): boolean {
  return token.startsWith('sfe_');
}
