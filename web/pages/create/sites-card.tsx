import { listed } from '../../../src/text/number-text.ts';
import { Card } from '../../ui/card.tsx';
import { CheckField, TextField } from '../../ui/field.tsx';
import { MomentField } from '../../ui/moment-field.tsx';
import type { Planning } from './use-plan.ts';

/** The invited sites, the quorum and the deadline. */
export function PlannedSitesCard({ planning }: { readonly planning: Planning }) {
  const { plan, change, arrange, problemOf, checked } = planning;
  const { sites: invited = [], fromRoster = false } = checked ?? {};
  const count = invited.length;
  return (
    <Card id="sites" title="Sites and time">
      <div class="columns">
        {fromRoster ? (
          <RosterSites names={invited} problem={problemOf('sites')} />
        ) : (
          <TextField
            label="Sites, one on each line"
            lines={6}
            value={plan.sites}
            problem={problemOf('sites')}
            hint={
              count === 0
                ? 'Each site gets its own link. You can paste a list.'
                : `${count} ${count === 1 ? 'site is' : 'sites are'} invited, each with its own link.`
            }
            onInput={(sites) => arrange({ sites })}
          />
        )}
        <div class="stack">
          <TextField
            label="Quorum: number of sites needed"
            hint={`${fromRoster ? 'At least the fewest sites above' : '1 unless given'}. The study resolves when all invited sites have contributed, or at the deadline with at least this number.`}
            inputMode="numeric"
            value={plan.quorum}
            problem={problemOf('quorum')}
            onInput={(quorum) => change({ quorum })}
          />
          <MomentField
            label="Deadline"
            hint="In your time zone. Without a deadline, the study collects until all sites have contributed or you close it."
            value={plan.deadline}
            problem={problemOf('deadline')}
            onInput={(deadline) => change({ deadline })}
          />
        </div>
      </div>
      <details>
        <summary>Draft, and expiry of the links</summary>
        <div class="stack">
          <CheckField checked={plan.draft} onChange={(draft) => arrange({ draft })}>
            Create a draft: sites cannot contribute before you open it
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

/** The sites of the roster: they are part of the study, so they are written there. */
function RosterSites({
  names,
  problem,
}: {
  readonly names: readonly string[];
  readonly problem: string | undefined;
}) {
  return (
    <div class="stack">
      <p>
        {names.length === 0
          ? 'The sites of the roster are invited.'
          : `The ${names.length} sites of the roster are invited, each with its own link: ${listed(names)}.`}
      </p>
      {problem !== undefined && <p class="problem">{problem}</p>}
    </div>
  );
}
