import { givenUpText } from '../../../src/aggregation/who-sees.ts';
import { Card } from '../../ui/card.tsx';
import { Choice } from '../../ui/choice.tsx';
import { SelectField, TextField } from '../../ui/field.tsx';
import type { PlannedAdding } from '../../worker/plan.ts';
import type { Planning } from './use-plan.ts';

/** Who adds the sums of the sites, and who sees them before they are added. */
export function AddingCard({ planning }: { readonly planning: Planning }) {
  const { plan, change, problemOf } = planning;
  const { adding } = plan;
  const set = (part: Partial<PlannedAdding>) => change({ adding: { ...adding, ...part } });
  const general = problemOf('adding');
  return (
    <Card
      id="adding"
      title="Who adds the sums"
      about={abouts[adding.kind]}
      aside={
        <Choice
          label="Who adds the sums"
          value={adding.kind}
          options={[
            ['openly', 'The coordinator'],
            ['two-parties', 'Two parties'],
            ['masks', 'The sites, by masks'],
            ...(adding.loaded === undefined ? [] : [['file', 'As loaded'] as const]),
          ]}
          onChange={(kind) => set({ kind })}
        />
      }
    >
      {general !== undefined && <p class="problem">{general}</p>}
      {adding.kind === 'two-parties' && <TwoPartyFields planning={planning} set={set} />}
      {adding.kind === 'masks' && <MaskFields planning={planning} set={set} />}
    </Card>
  );
}

const abouts: Readonly<Record<PlannedAdding['kind'], string>> = {
  openly: 'The coordinator sees the sums of each site, and adds them.',
  'two-parties':
    'Sites send masked sums. The coordinator and a helper, which another organisation runs, open only the sum over all sites.',
  masks:
    'Sites agree on masks that hide each of them and cancel in the sum. No helper is needed; each site comes back to open the sum.',
  file: 'The study that was loaded says how sums are added.',
};

interface FieldsProps {
  readonly planning: Planning;
  readonly set: (part: Partial<PlannedAdding>) => void;
}

function TwoPartyFields({ planning, set }: FieldsProps) {
  const { plan, problemOf } = planning;
  const { adding } = plan;
  return (
    <>
      <p class="small soft">{givenUpText}</p>
      <div class="columns">
        <div class="stack">
          <TextField
            label="Address of the helper"
            placeholder="https://helper.example.org"
            mono
            value={adding.address}
            problem={problemOf('address')}
            onInput={(address) => set({ address })}
          />
          <TextField
            label="Keys of the helper, as JSON"
            hint={
              <>
                Paste what <code>suffice helper show ADDRESS --json</code> prints. Compare the key
                it signs with by another way: with the people of the helper.
              </>
            }
            mono
            lines={5}
            value={adding.helper}
            problem={problemOf('helper')}
            onInput={(helper) => set({ helper })}
          />
          <SelectField
            label="How masks are sealed"
            value={adding.kem}
            hint={seals[adding.kem]}
            options={[
              ['x25519', 'X25519'],
              ['x-wing', 'X-Wing'],
            ]}
            onChange={(kem) => set({ kem })}
          />
        </div>
        <div class="stack">
          <RosterFields planning={planning} set={set} />
          <TextField
            label="Groups of sites that are opened one by one"
            hint="For a ridge by k-fold: each group is left out in turn. None unless given: then only the sum over all sites is opened."
            inputMode="numeric"
            value={adding.groups}
            problem={problemOf('groups')}
            onInput={(groups) => set({ groups })}
          />
        </div>
      </div>
    </>
  );
}

function MaskFields({ planning, set }: FieldsProps) {
  const { plan, problemOf } = planning;
  return (
    <>
      <p class="small soft">{givenUpText}</p>
      <div class="stack">
        <RosterFields planning={planning} set={set} />
        <TextField
          label="Minutes of each stage after the deadline"
          hint="60 unless given. At the deadline the stage under way goes on with the sites that are there; each later stage has this time."
          inputMode="numeric"
          value={plan.adding.stageMinutes}
          problem={problemOf('stageMinutes')}
          onInput={(stageMinutes) => set({ stageMinutes })}
        />
      </div>
    </>
  );
}

function RosterFields({ planning: { plan, problemOf }, set }: FieldsProps) {
  const { adding } = plan;
  return (
    <>
      <TextField
        label="Roster: name and key of each site, one on each line"
        hint="A site finds its key on the page /join of this coordinator, or prints it with suffice key. These sites are invited, and nobody else can take part."
        mono
        lines={8}
        value={adding.roster}
        problem={problemOf('roster')}
        onInput={(roster) => set({ roster })}
      />
      <TextField
        label="Fewest sites of anything that is given out"
        hint="5 unless given; 3 is the smallest."
        inputMode="numeric"
        value={adding.minimumSites}
        problem={problemOf('minimumSites')}
        onInput={(minimumSites) => set({ minimumSites })}
      />
    </>
  );
}

const seals: Readonly<Record<PlannedAdding['kem'], string>> = {
  x25519: 'Enough for today’s computers.',
  'x-wing': 'Holds against quantum computers too; a site sends some 1.1 kB more.',
};
