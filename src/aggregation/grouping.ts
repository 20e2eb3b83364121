/** Groups of sites, counted from 0. */
export interface Grouping {
  readonly groups: number;
  groupOf(site: string): number;
}

/** The name of a group among those of sites; with two digits, so that names are in the order of groups. */
export function groupName(group: number): string {
  return `group ${String(group + 1).padStart(2, '0')}`;
}
