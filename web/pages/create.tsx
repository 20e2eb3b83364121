import '../style/study.css';
import '../style/create.css';
import { useEffect, useState } from 'preact/hooks';
import type { PageProps } from '../app/here.ts';
import { useTitle } from '../app/shell.tsx';
import { ask } from '../desk/call.ts';
import type { CreatedLinks as Created } from '../desk/create.ts';
import { columnPlanOf } from '../desk/plan.ts';
import type { SampleOverview } from '../desk/sample.ts';
import { CodebookCard } from './create/codebook-card.tsx';
import { CreatedLinks } from './create/created-links.tsx';
import { MethodCard } from './create/method-card.tsx';
import { ProtectionCard } from './create/protection-card.tsx';
import { QuestionCard } from './create/question-card.tsx';
import { ReviewCard } from './create/review-card.tsx';
import { SampleCard } from './create/sample-card.tsx';
import { SitesCard } from './create/sites-card.tsx';
import { usePlan } from './create/use-plan.ts';

/** A new study, by form. */
export function CreatePage({ here }: PageProps) {
  useTitle('New study');
  const planning = usePlan();
  const [sample, setSample] = useState<SampleOverview>();
  const [created, setCreated] = useState<Created>();
  useEffect(() => {
    void ask('loadSampleReader', []);
    // The secret has been taken from the address: it need not stay in the history.
    if (here.operator !== undefined) history.replaceState(null, '', `${here.coordinator}/create`);
  }, [here]);
  const { plan, codebook } = planning;
  if (created !== undefined) {
    const { coordinator } = here;
    return <CreatedLinks coordinator={coordinator} created={created} name={plan.name.trim()} />;
  }
  const takeSample = (found: SampleOverview | undefined) => {
    setSample(found);
    if (found !== undefined) {
      planning.change({ codebook: 'sample', columns: sample === undefined ? {} : plan.columns });
      return;
    }
    const written = Object.entries(codebook).map(([name, column]) => [name, columnPlanOf(column)]);
    planning.change({
      codebook: 'written',
      columns: { ...Object.fromEntries(written), ...plan.columns },
    });
  };
  const columns = sample?.columns ?? [];
  const names = sample === undefined ? Object.keys(plan.columns) : columns.map(({ name }) => name);
  return (
    <>
      <div class="heading">
        <h1>New study</h1>
        <p class="prose soft">Everything here happens in this tab until you press Create.</p>
      </div>
      <SampleCard sample={sample} onSample={takeSample} />
      <QuestionCard planning={planning} columns={columns} />
      <CodebookCard planning={planning} sample={columns} />
      <div class="columns">
        <MethodCard planning={planning} columns={names} />
        <ProtectionCard planning={planning} />
      </div>
      <SitesCard planning={planning} />
      <ReviewCard
        planning={planning}
        coordinator={here.coordinator}
        onCreated={setCreated}
        onLoad={(loaded) => {
          setSample(undefined);
          planning.replace(loaded);
        }}
      />
    </>
  );
}
