import type { ComponentChildren } from 'preact';
import { significant } from '../../../src/text/number-text.ts';
import { isSite } from '../../tab/page-address.ts';
import { DataTable } from '../../ui/data-table.tsx';
import { Digest } from '../../ui/digest.tsx';
import { Facts } from '../../ui/facts.tsx';
import { useAnswer } from '../../ui/use-answer.ts';
import { call } from '../../worker/call.ts';
import { placeOf, type SectionProps } from './section-props.ts';
import type { WithoutTotal } from './use-total.ts';

type Verdict = 'yes' | 'no' | 'open' | 'unchecked';

/** The checks made in this tab, what was not checked, and the digests to compare with others. */
export function Certificate(props: SectionProps) {
  const { shown, link } = props;
  const { resolution } = shown;
  const { report, seal, studyDigest } = resolution;
  const own = useOwnReceipts(props);
  return (
    <div class="stack certificate">
      <ul class="checks">
        <Check verdict="yes">
          The coordinator signed this resolution with the key that is in your link.
        </Check>
        <Check verdict="yes">The digest of the study shown here is the digest in your link.</Check>
        <TotalCheck {...props} />
        <SolvedCheck {...props} />
        <LogCheck {...props} />
        {isSite(link) && <ReceiptCheck {...props} own={own} />}
        <Check verdict="unchecked">
          Whether each site’s rows are true. Only the site itself can see them.
        </Check>
        <Check verdict="unchecked">
          Whether others see the same result. Compare the digests below with theirs.
        </Check>
      </ul>
      <dl class="digests">
        <Entry name="Study">{studyDigest}</Entry>
        <Entry name="Study, layout and total">{report.digest}</Entry>
        <Entry name="Resolution">{shown.digest}</Entry>
        <Entry name="Coordinator’s key">{seal.key}</Entry>
      </dl>
      <Facts
        facts={[
          [
            'Arithmetic',
            report.arithmetic === 'exact'
              ? `${report.privacy === undefined ? 'exact' : 'noisy'} integers, ${report.grid}-bit grid`
              : 'compact, 64 bits',
          ],
          ...(report.condition === undefined
            ? []
            : [['Condition number', significant(report.condition, 3)] as const]),
          ...(report.digits === undefined
            ? []
            : [['Guaranteed digits', String(Math.floor(report.digits))] as const]),
        ]}
      />
      <h3>Contributions in this result</h3>
      <DataTable
        label="Contributions by digest"
        columns={[{ name: 'Site' }, { name: 'Digest of the contribution' }]}
        rows={resolution.contributions.flatMap(({ site, digests }) =>
          digests.map((digest) => [
            { value: site },
            {
              value: digest,
              shown: (
                <span class="digest">
                  {digest}
                  {own?.includes(digest) === true && <strong> yours</strong>}
                </span>
              ),
            },
          ]),
        )}
        copyable
        tall={resolution.contributions.length > 10}
      />
      <p class="small soft">
        A site finds the digest of its contribution on its receipt. The command suffice verify
        checks the signed resolution without this page.
      </p>
    </div>
  );
}

const marks: Readonly<Record<Verdict, readonly [string, string]>> = {
  yes: ['✓', 'Checked: '],
  no: ['✗', 'Failed: '],
  open: ['…', 'Being checked: '],
  unchecked: ['–', 'Not checked: '],
};

function Check({
  verdict,
  children,
}: {
  readonly verdict: Verdict;
  readonly children: ComponentChildren;
}) {
  const [mark, word] = marks[verdict];
  return (
    <li class={verdict} role={verdict === 'no' ? 'alert' : undefined}>
      <span aria-hidden="true">{mark}</span>
      <span>
        <span class="seen-by-readers">{word}</span>
        {children}
      </span>
    </li>
  );
}

const absent = {
  site: 'The total: only the analyst can see it.',
  few: 'The total: this study gives it to nobody.',
  private: 'The total: a private study shows it to nobody.',
  estimates: 'The weighting: only the coordinator has the coefficients of each site.',
  parts: 'The model: only the coordinator has the contributions of each site.',
} as const satisfies Readonly<Record<WithoutTotal, string>>;

function TotalCheck({ total }: SectionProps) {
  switch (total.kind) {
    case 'here':
      return (
        <Check verdict="yes">
          The digest of the total, computed again here, is the one in the signed report.
        </Check>
      );
    case 'fetching':
      return <Check verdict="open">Whether the total has the digest of the signed report.</Check>;
    case 'large':
      return <Check verdict="unchecked">The total: it was not fetched, because it is large.</Check>;
    case 'absent':
      return <Check verdict="unchecked">{absent[total.why]}</Check>;
    case 'failed':
      return total.failure.kind === 'network' ? (
        <Check verdict="no">
          The total received is not the one behind the signed report. It was not used.
        </Check>
      ) : (
        <Check verdict="unchecked">The total: {total.failure.problem}.</Check>
      );
  }
}

/** The strongest check: another machine solves the total again and gets the same bits. */
function SolvedCheck({ shown, total }: SectionProps) {
  const possible = total.kind === 'here' && shown.fromTotal;
  const { value, failure } = useAnswer(
    async () => (possible ? call('solveAgain', placeOf(shown)) : undefined),
    [shown.digest, possible],
  );
  if (total.kind === 'here' && !shown.fromTotal) {
    return (
      <Check verdict="unchecked">
        Solving again: this model needs each site’s own sums, which only the coordinator has.
      </Check>
    );
  }
  if (!possible) return null;
  const verdict = solvedVerdict(value, failure !== undefined);
  return (
    <Check verdict={verdict}>
      {verdict === 'no'
        ? 'Solving the total again in this tab gives another report than the signed one.'
        : 'Solving the total again in this tab gives the signed report, to the last bit.'}
    </Check>
  );
}

function solvedVerdict(same: boolean | undefined, failed: boolean): Verdict {
  if (failed || same === false) return 'no';
  return same === undefined ? 'open' : 'yes';
}

function LogCheck({ link, shown }: SectionProps) {
  const { value, failure } = useAnswer(
    () => call('findInLog', [link, ...placeOf(shown)]),
    [shown.digest],
  );
  if (failure !== undefined) return <Check verdict="no">The audit log: {failure.problem}.</Check>;
  if (value === undefined)
    return <Check verdict="open">The position of this resolution in the audit log.</Check>;
  if ('problem' in value) return <Check verdict="no">The audit log: {value.problem}.</Check>;
  return (
    <Check verdict="yes">
      The resolution is entry {value.position} of {value.entries} in the audit log. The chain of the
      log is unbroken and signed. Its last digest is <span class="digest">{value.head}</span>
    </Check>
  );
}

function useOwnReceipts({ link, shown }: SectionProps): readonly string[] | undefined {
  const { value } = useAnswer(
    async () => (isSite(link) ? call('readReceipts', [link]) : undefined),
    [shown.digest],
  );
  return value?.map(({ digest }) => digest);
}

function ReceiptCheck({
  shown,
  own,
}: SectionProps & { readonly own: readonly string[] | undefined }) {
  if (own === undefined) {
    return <Check verdict="open">Whether your contribution is in this result.</Check>;
  }
  const added = new Set(shown.resolution.contributions.flatMap(({ digests }) => digests));
  const inside = own.filter((digest) => added.has(digest)).length;
  if (own.length === 0) {
    return (
      <Check verdict="unchecked">
        Whether your contribution is in this result: the coordinator no longer has one from you.
      </Check>
    );
  }
  return inside > 0 ? (
    <Check verdict="yes">
      Your contribution is in this result: it has the digest on your receipt.
    </Check>
  ) : (
    <Check verdict="unchecked">Your contribution is not in this resolution.</Check>
  );
}

function Entry({ name, children }: { readonly name: string; readonly children: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        <Digest text={children} />
      </dd>
    </div>
  );
}
