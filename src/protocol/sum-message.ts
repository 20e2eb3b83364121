/** What a region has sent to the study of its parent. */
export interface SumView {
  /** Nothing yet; a sum; nothing any more, until the region sends again; a sum that is being withdrawn for good; nothing for good. */
  readonly state: 'unsent' | 'sent' | 'withdrawn' | 'leaving' | 'left';
  /** Number of the newest message there. */
  readonly sequence?: number;
  /** When the parent acknowledged it. */
  readonly at?: string;
  /** Sites in the sum. */
  readonly sites?: number;
  /** Whether the sum came after the parent had closed. */
  readonly late?: boolean;
  /** Why the newest sum was not sent; the coordinator tries again by itself. */
  readonly problem?: string;
}
