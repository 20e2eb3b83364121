import type { ComponentChildren } from 'preact';
import { Button } from '../../ui/button.tsx';
import { Notice, TroubleNotice } from '../../ui/notice.tsx';
import { byteText } from '../../ui/words.ts';
import type { TotalState, WithoutTotal } from './use-total.ts';

/** What is made of the total, or why there is none here. */
export function NeedsTotal({
  total,
  what,
  children,
}: {
  readonly total: TotalState;
  /** "The trace", "Correlations": what would stand here. */
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
        <Notice kind="info" title={`${what} would be computed from the total, here in the tab.`}>
          <p>The total of this study is {byteText(total.bytes)}.</p>
          <p>
            <Button onClick={total.fetch}>Fetch the total</Button>
          </p>
        </Notice>
      );
    case 'absent':
      return <Notice kind="info">{absent(what)[total.why]}</Notice>;
    case 'trouble':
      return <TroubleNotice trouble={total.trouble} />;
  }
}

function absent(what: string): Readonly<Record<WithoutTotal, string>> {
  return {
    site: `${what} would need the total over all sites. It is given only to who runs the study: with it and your own sums, you could work out those of the others.`,
    estimates: `${what} would need sums over rows. The sites sent coefficients of their own.`,
    parts: `${what} would need sums over rows. This method resolves from what each site sent.`,
    private: `${what} would need the exact total. Of a private study it is shown to nobody, because it would tell more than was promised.`,
  };
}
