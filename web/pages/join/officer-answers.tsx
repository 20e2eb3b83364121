import { ruleIds, ruleTitles } from '../../../src/disclosure/rule.ts';
import type { Landing } from '../../worker/landing.ts';
import type { PartiesView } from '../../worker/parties-view.ts';

/** Answers to the questions of a site's privacy officer. */
export function OfficerAnswers({ landing: { study, host } }: { readonly landing: Landing }) {
  const hasRules = study.promise === undefined && !study.withoutRules;
  return (
    <details>
      <summary>For your privacy officer</summary>
      <dl class="join-answers">
        <dt>What is sent?</dt>
        <dd>{sentText(study.parties)}</dd>
        <dt>Could it reveal a single person?</dt>
        <dd>{personText(study.promise !== undefined, hasRules)}</dd>
        {hasRules && (
          <dd>
            <ul class="join-sites">
              {ruleIds.map((rule) => (
                <li key={rule}>
                  {rule}: {ruleTitles[rule]}
                </li>
              ))}
            </ul>
          </dd>
        )}
        <dt>Where is it kept, and for how long?</dt>
        <dd>
          At {host}, until your site or the analyst has it erased. This browser keeps the signing
          key, the receipts, and a ledger of everything sent, with a keyed tag of every row. It does
          not keep the rows.
        </dd>
        <dt>Can it be taken back?</dt>
        <dd>
          Yes. Open this link again in this browser and withdraw: the coordinator erases your
          contributions and signs that it did. A model that is already published stays published.
        </dd>
        <dt>Whom do we have to trust?</dt>
        {study.parties !== undefined && <dd>{partiesText(study.parties)}</dd>}
        <dd>
          Each time you open this page, the coordinator sends it, together with the code that reads
          your file. If that is too much trust, <code>npx suffice join INVITATION FILE</code> does
          the same with a program that you install and can inspect.
        </dd>
      </dl>
    </details>
  );
}

function sentText(parties: PartiesView | undefined): string {
  return parties?.exchange === undefined
    ? 'One file of numbers, computed from all your rows together. You can look at each number before you approve. Rows, cells and the name of your file stay with you.'
    : 'Tokens or points of your keys, your columns of the linked people with a random number taken off each cell, and a share of the sums. All of it looks random to the one who gets it; the shares together give the sums of the joined table. The page lists every message and who gets it before you approve.';
}

function partiesText({ parties, minimumSites, exchange }: PartiesView): string {
  if (exchange !== undefined)
    return 'That the helper does not work together with another party: the two could work out your columns of the linked people. And that the other parties may know which of their own people are yours, too.';
  return parties.length > 1
    ? `That the coordinator and the helper do not work together: one of them is enough to keep your numbers hidden. Nothing is opened about fewer than ${minimumSites} sites.`
    : `That enough of the other sites do not work with the coordinator. Nothing is opened about fewer than ${minimumSites} sites.`;
}

function personText(noisy: boolean, hasRules: boolean): string {
  if (noisy) return 'Noise hides every single person, within the promise above.';
  return hasRules
    ? 'Sums over few rows could. Therefore these rules check the sums first, and nothing that breaks a rule is sent. If they pass, no cheap attack is known; others may exist. The rules ask for:'
    : 'Yes, and no rule checks it. Take part only if your rows are public.';
}
