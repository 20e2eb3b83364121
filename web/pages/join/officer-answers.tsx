import { ruleIds, ruleTitles } from '../../../src/disclosure/rule.ts';
import type { Arrival } from '../../desk/arrival.ts';

/** What a site's privacy officer asks before anything may leave. */
export function OfficerAnswers({ arrival: { study, host } }: { readonly arrival: Arrival }) {
  const ruled = study.promise === undefined && !study.unruled;
  return (
    <details>
      <summary>For your privacy officer</summary>
      <dl class="join-answers">
        <dt>What leaves?</dt>
        <dd>
          One file of numbers, made of all your rows together. You can look at each of them before
          you approve. Rows, cells and the name of the file stay.
        </dd>
        <dt>Could it tell of a single person?</dt>
        <dd>{tellsOf(study.promise !== undefined, ruled)}</dd>
        {ruled && (
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
          At {host}, until your site or whoever runs the study has it erased. This browser keeps the
          key that signs, the receipts, and a ledger of what has left with a keyed tag of every row;
          it does not keep the rows.
        </dd>
        <dt>Can it be taken back?</dt>
        <dd>
          Yes. Open this link again in this browser and withdraw: the coordinator erases what you
          sent and signs that it did. A model that is published by then stays published.
        </dd>
        <dt>What has to be trusted?</dt>
        <dd>
          This page comes from the coordinator each time it is opened, and so does the code that
          reads your file. Where that is too much, <code>npx suffice join INVITATION FILE</code>{' '}
          does the same with a program that you install and can inspect.
        </dd>
      </dl>
    </details>
  );
}

function tellsOf(noisy: boolean, ruled: boolean): string {
  if (noisy) return 'Noise hides each of them, within what is promised above.';
  return ruled
    ? 'Sums over few rows could. These rules look at the sums first, and what breaks one stays. Passing means that no cheap attack is known, not that none exists:'
    : 'It could, and no rule looks at it. Take part only if your rows are public.';
}
