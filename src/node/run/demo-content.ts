import type { Report } from '../../model/report.ts';
import type { StudyClient } from '../../protocol/client.ts';
import type { PredictingModel } from '../../rows/predict.ts';
import type { Study } from '../../study/study.ts';
import type { Ink } from '../../text/text-table.ts';

/** What a demo shows: a study, its sites, and what is said about them. */
export interface Demo {
  readonly title: string;
  /** Who the sites are, up to the list of them. */
  readonly about: string;
  readonly study: Study;
  readonly sites: readonly DemoSite[];
  /** What the disclosure rules said at the sites. */
  readonly audited: string;
  /** Writes one file with the rows of all sites, and returns its path. */
  pool(folder: string): string;
  /** The answers of the sites and of the one file, side by side. */
  compare(sites: Report, pooled: Report, ink: Ink): readonly string[];
  /** What the model does with rows that no site has, as text. */
  tryOut?(model: PredictingModel, ink: Ink): Promise<string>;
  /** What the numbers of bytes mean. */
  readonly traffic?: string;
  /** What to choose on the page of a site; absent where no page takes such a study. */
  readonly choice?: string;
  /** What the sites and the one file are called, where they are not three sites with all columns. */
  readonly called?: Called;
  /** Starts what runs beside the coordinator, before the study is made; a site's home is the folder of its name. */
  beside?(folder: string): Promise<Beside>;
}

/** What the sites and the one file are called. */
export interface Called {
  readonly one: string;
  readonly all: string;
  readonly pooled: string;
  /** Leads to the answer of the one file. */
  readonly question: string;
}

/** What the sites of a demo have done. */
export interface DemoVisits {
  /** What `suffice join` said at each site. */
  readonly joined: ReadonlyMap<string, SiteJoined>;
  /** The study as a site sees it. */
  as(site: string): StudyClient;
}

/** What `suffice join` says of a contribution. */
export interface SiteJoined {
  readonly bytes: number;
  readonly rows: number;
}

/** What runs beside the coordinator, and what is said about it. */
export interface Beside {
  /** The study, which names it. */
  readonly study: Study;
  readonly about: string;
  /** How the sum was made, up to the result. */
  readonly added: string;
  /** What was sent, where it is more than a contribution. */
  traffic?(visits: DemoVisits): Promise<string>;
  /** What each party has seen. */
  seen(): Promise<string>;
  stop(): Promise<void>;
}

export interface DemoSite {
  readonly name: string;
  /** From the folder of the demo, unless it is a whole path. */
  readonly path: string;
  /** What its rows are. */
  readonly holds: string;
  /** Bytes of its rows. */
  readonly bytes: number;
  /** Rules of the audit that warn here, and are acknowledged. */
  readonly acknowledged: readonly string[];
}
