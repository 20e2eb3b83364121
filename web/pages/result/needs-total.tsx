import type { ComponentChildren } from 'preact';
import { Button } from '../../ui/button.tsx';
import { FailureNotice, Notice } from '../../ui/notice.tsx';
import { bytesText } from '../../ui/text.ts';
import type { TotalState, WithoutTotal } from './use-total.ts';

/** Content that needs the total, or the reason why there is none. */
export function NeedsTotal({
  total,
  what,
  children,
}: {
  readonly total: TotalState;
  /** Name of the content: "The trace", "Correlations". */
  readonly what: string;
  readonly children: () => ComponentChildren;
}) {
  switch (total.kind) {
    case 'here':
      return <>{children()}</>;
    case 'fetching':
      return <div class="waiting" role="status" aria-label="Fetching the total" />;
    case 'large':
      return (
        <Notice kind="info" title={`${what} can be computed from the total, in this tab.`}>
          <p>The total of this study has {bytesText(total.bytes)}.</p>
          <p>
            <Button onClick={total.fetch}>Fetch the total</Button>
          </p>
        </Notice>
      );
    case 'absent':
      return <Notice kind="info">{absent(what)[total.why]}</Notice>;
    case 'failed':
      return <FailureNotice failure={total.failure} />;
  }
}

function absent(what: string): Readonly<Record<WithoutTotal, string>> {
  return {
    site: `${what}: this needs the total over all sites. Only the analyst can see it: with the total and your own sums, you could compute the sums of the other sites.`,
    estimates: `${what}: this needs sums over rows, but the sites sent their own coefficients.`,
    parts: `${what}: this needs sums over rows, but this method works on what each site sent.`,
    few: `${what}: this needs the exact total. This study gives it to nobody, because two totals could tell about a few sites.`,
    private: `${what}: this needs the exact total. A private study shows it to nobody, because it would reveal more than promised.`,
  };
}
