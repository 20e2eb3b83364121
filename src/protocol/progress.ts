import type { SiteStatus, StudyView } from './messages.ts';

/** How many of those who are expected have contributed. */
export interface StudyProgress {
  readonly who: 'sites' | 'devices';
  readonly contributed: number;
  readonly expected: number;
}

type SiteState = Pick<SiteStatus, 'state'>;

interface Counted extends Pick<StudyView, 'devices'> {
  readonly sites: readonly SiteState[];
}

/** Counts the sites of a study, or its devices where it has no sites by name. Who has withdrawn or was revoked is not expected any more. */
export function progressOf({ sites, devices }: Counted): StudyProgress {
  if (devices !== undefined && !listsSites({ sites, devices })) {
    const { enrolled, contributed, withdrawn } = devices;
    return { who: 'devices', contributed, expected: enrolled - withdrawn };
  }
  const contributed = sites.filter(({ state }) => state === 'contributed').length;
  return { who: 'sites', contributed, expected: expectedSites(sites).length };
}

/** Whether a study has sites by name; devices are counted, not listed. */
export function listsSites({ sites, devices }: Counted): boolean {
  return devices === undefined || sites.length > 0;
}

/** The sites that have contributed or may still do so. */
export function expectedSites<Site extends SiteState>(sites: readonly Site[]): readonly Site[] {
  return sites.filter(({ state }) => state !== 'withdrawn' && state !== 'revoked');
}
