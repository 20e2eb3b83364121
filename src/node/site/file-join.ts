import type { Acknowledgement } from '../../disclosure/acknowledgement.ts';
import type { Audit } from '../../disclosure/rule.ts';
import type { Agreement } from '../../federate.ts';
import type { ClientOptions } from '../../protocol/client.ts';
import type { Link } from '../../protocol/link.ts';
import type { Wording } from '../../rows/wording.ts';
import type { JoinRequest as SiteRequest } from '../../site/join.ts';
import type { AnsweredRows } from './join-answers.ts';
import type { SiteScreen } from './site-screen.ts';

/** A request to join a study with a file. */
export interface FileJoinRequest extends Omit<SiteRequest, 'rows' | 'histograms' | 'wording'> {
  readonly link: Link;
  readonly path: string;
  /** What a database has answered, in place of the rows of `path`. */
  readonly answered?: AnsweredRows;
  readonly threads?: number;
  /** What the site has acknowledged: rules of the audit that warn, or `none` where the study has no rules. */
  readonly acknowledged?: readonly string[];
  readonly client?: ClientOptions;
  /** How the file words what the study words otherwise. */
  wordingOf?(agreed: Agreement): Wording | undefined;
}

/** The terminal of the person who approves. */
export interface JoinTools extends SiteScreen {
  /** Throws if there is no terminal to ask on; called before the file is read. */
  refuseUnattended(): void;
  /** Asks whether the contribution may be sent; `open` is what is not acknowledged yet. */
  approve(open: readonly Acknowledgement[], audit: Audit | undefined): Promise<boolean>;
}
