import type { ComponentChildren } from 'preact';
import { significant } from '../../../src/model/number-text.ts';
import { isSite } from '../../app/here.ts';
import { ask } from '../../desk/call.ts';
import { DataTable } from '../../ui/data-table.tsx';
import { Digest } from '../../ui/digest.tsx';
import { Facts } from '../../ui/facts.tsx';
import { useAnswer } from '../../ui/use-answer.ts';
import { type PartProps, placeOf } from './part.ts';
import type { WithoutTotal } from './use-total.ts';

type Verdict = 'yes' | 'no' | 'open' | 'unchecked';

/** What was checked in this tab, what was not, and the digests to compare with others. */
export function Certificate(props: PartProps) {
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
        <Check verdict="yes">
          The study’s digest is that of the study shown here, and the one your link names.
        </Check>
        <TotalCheck {...props} />
        <SolvedCheck {...props} />
        <LogCheck {...props} />
        {isSite(link) && <ReceiptCheck {...props} own={own} />}
        <Check verdict="unchecked">
          Whether each site told the truth about its rows. Nobody but the site can see them.
        </Check>
        <Check verdict="unchecked">
          Whether others were shown the same. Compare the digests below with theirs.
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
            : [['Digits vouched for', String(Math.floor(report.digits))] as const]),
        ]}
      />
      <h3>What was added</h3>
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
        A site finds the digest of its own contribution on its receipt. suffice verify checks the
        signed resolution without this page.
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
  site: 'The total: only who runs the study is given it.',
  private: 'The total: of a private study it is shown to nobody.',
  estimates: 'The weighting: the coordinator alone holds the coefficients of each site.',
  parts: 'The model: the coordinator alone holds what each site sent.',
} as const satisfies Readonly<Record<WithoutTotal, string>>;

function TotalCheck({ total }: PartProps) {
  switch (total.kind) {
    case 'here':
      return (
        <Check verdict="yes">
          The digest of the total, taken again here, is the one in the signed report.
        </Check>
      );
    case 'fetching':
      return <Check verdict="open">Whether the total has the digest of the signed report.</Check>;
    case 'large':
      return <Check verdict="unchecked">The total: it was not fetched, because it is large.</Check>;
    case 'absent':
      return <Check verdict="unchecked">{absent[total.why]}</Check>;
    case 'trouble':
      return total.trouble.kind === 'network' ? (
        <Check verdict="no">
          The total that came is not the one the signed report was made of. Nothing was made of it.
        </Check>
      ) : (
        <Check verdict="unchecked">The total: {total.trouble.problem}.</Check>
      );
  }
}

/** Solving again is the strongest check there is: other machine, same bits. */
function SolvedCheck({ shown, total }: PartProps) {
  const possible = total.kind === 'here' && shown.fromTotal;
  const { value, trouble } = useAnswer(
    async () => (possible ? ask('solveAgain', placeOf(shown)) : undefined),
    [shown.digest, possible],
  );
  if (total.kind === 'here' && !shown.fromTotal) {
    return (
      <Check verdict="unchecked">
        Solving again: this model needs each site’s own sums, which only the coordinator holds.
      </Check>
    );
  }
  if (!possible) return null;
  const verdict = trouble !== undefined || value === false ? 'no' : value ? 'yes' : 'open';
  return (
    <Check verdict={verdict}>
      {verdict === 'no'
        ? 'Solving the total again in this tab gives another report than the signed one.'
        : 'Solving the total again in this tab gives the signed report, to the last bit.'}
    </Check>
  );
}

function LogCheck({ link, shown }: PartProps) {
  const { value, trouble } = useAnswer(
    () => ask('findInLog', [link, ...placeOf(shown)]),
    [shown.digest],
  );
  if (trouble !== undefined) return <Check verdict="no">The audit log: {trouble.problem}.</Check>;
  if (value === undefined)
    return <Check verdict="open">The place of this resolution in the audit log.</Check>;
  if ('problem' in value) return <Check verdict="no">The audit log: {value.problem}.</Check>;
  return (
    <Check verdict="yes">
      It is entry {value.position} of {value.entries} in the audit log, whose chain is unbroken and
      signed. The log ends with <span class="digest">{value.head}</span>
    </Check>
  );
}

function useOwnReceipts({ link, shown }: PartProps): readonly string[] | undefined {
  const { value } = useAnswer(
    async () => (isSite(link) ? ask('readReceipts', [link]) : undefined),
    [shown.digest],
  );
  return value?.map(({ digest }) => digest);
}

function ReceiptCheck({ shown, own }: PartProps & { readonly own: readonly string[] | undefined }) {
  if (own === undefined) return <Check verdict="open">Whether your contribution is in it.</Check>;
  const added = new Set(shown.resolution.contributions.flatMap(({ digests }) => digests));
  const inside = own.filter((digest) => added.has(digest)).length;
  if (own.length === 0) {
    return (
      <Check verdict="unchecked">
        Whether your contribution is in it: there is none of yours any more.
      </Check>
    );
  }
  return inside > 0 ? (
    <Check verdict="yes">What you sent is in it, by the digest on your receipt.</Check>
  ) : (
    <Check verdict="unchecked">What you sent is not in this resolution.</Check>
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
