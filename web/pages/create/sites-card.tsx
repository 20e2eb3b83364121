import { Card } from '../../ui/card.tsx';
import { CheckField, TextField } from '../../ui/field.tsx';
import { MomentField } from '../../ui/moment-field.tsx';
import type { Planning } from './use-plan.ts';

/** Who is invited, and until when. */
export function SitesCard({ planning }: { readonly planning: Planning }) {
  const { plan, change, arrange, problemOf, checked } = planning;
  const count = checked?.sites.length ?? 0;
  return (
    <Card title="Sites and time">
      <div class="columns">
        <TextField
          label="Sites, one a line"
          lines={6}
          value={plan.sites}
          problem={problemOf('sites')}
          hint={
            count === 0
              ? 'Each gets a link of its own. A pasted list will do.'
              : `${count} ${count === 1 ? 'site is' : 'sites are'} invited, each by a link of its own.`
          }
          onInput={(sites) => arrange({ sites })}
        />
        <div class="stack">
          <TextField
            label="Quorum: sites that must have contributed"
            hint="1 unless given. The study resolves when all invited sites are in, or at the deadline with this many."
            inputMode="numeric"
            value={plan.quorum}
            problem={problemOf('quorum')}
            onInput={(quorum) => change({ quorum })}
          />
          <MomentField
            label="Deadline"
            hint="In your time zone. Without one, it collects until all are in or you close it."
            value={plan.deadline}
            problem={problemOf('deadline')}
            onInput={(deadline) => change({ deadline })}
          />
        </div>
      </div>
      <details>
        <summary>Draft, expiry of the links</summary>
        <div class="stack">
          <CheckField checked={plan.draft} onChange={(draft) => arrange({ draft })}>
            Keep it a draft: nobody can contribute before you open it
          </CheckField>
          <MomentField
            label="The links stop working"
            hint="Never unless given."
            value={plan.expires}
            problem={problemOf('expires')}
            onInput={(expires) => arrange({ expires })}
          />
        </div>
      </details>
    </Card>
  );
}
