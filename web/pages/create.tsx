import '../style/study.css';
import '../style/create.css';
import { useEffect, useState } from 'preact/hooks';
import type { PageProps } from '../app/here.ts';
import { useTitle } from '../app/shell.tsx';
import { ask } from '../desk/call.ts';
import type { CreatedLinks as Created } from '../desk/create.ts';
import { emptyPlan, withSample, writtenOut } from '../desk/plan.ts';
import type { SampleOverview } from '../desk/sample.ts';
import { CodebookCard } from './create/codebook-card.tsx';
import { CreatedLinks } from './create/created-links.tsx';
import { MethodCard } from './create/method-card.tsx';
import { ProtectionCard } from './create/protection-card.tsx';
import { QuestionCard } from './create/question-card.tsx';
import { ReviewCard } from './create/review-card.tsx';
import { SampleCard } from './create/sample-card.tsx';
import { SitesCard } from './create/sites-card.tsx';
import { StartOver } from './create/start-over.tsx';
import { usePlan } from './create/use-plan.ts';

/** A new study, by form. */
export function CreatePage({ here }: PageProps) {
  useTitle('New study');
  const planning = usePlan();
  const [sample, setSample] = useState<SampleOverview>();
  const [created, setCreated] = useState<{ readonly links: Created; readonly name: string }>();
  // Another one is another card for the sample: nothing of the file before stays in it.
  const [visit, setVisit] = useState(0);
  useEffect(() => {
    void ask('loadSampleReader', []);
    // The secret has been taken from the address: it need not stay in the history.
    if (here.operator !== undefined) history.replaceState(null, '', `${here.coordinator}/create`);
  }, [here]);
  const { plan, codebook } = planning;
  if (created !== undefined) {
    const { coordinator } = here;
    return <CreatedLinks coordinator={coordinator} created={created.links} name={created.name} />;
  }
  const takeSample = (found: SampleOverview | undefined) => {
    setSample(found);
    planning.revise((now) => (found === undefined ? writtenOut(now, codebook) : withSample(now)));
  };
  const startOver = () => {
    setSample(undefined);
    setVisit(visit + 1);
    planning.replace(emptyPlan);
    void ask('forgetSample', []);
  };
  const columns = sample?.columns ?? [];
  const names = sample === undefined ? Object.keys(plan.columns) : columns.map(({ name }) => name);
  return (
    <>
      <div class="heading">
        <h1>New study</h1>
        <p class="prose soft">
          Everything here happens in this tab until you press Create. A reload keeps the form, not
          the sample.
        </p>
        {plan !== emptyPlan && <StartOver onStart={startOver} />}
      </div>
      <SampleCard key={visit} sample={sample} onSample={takeSample} />
      <QuestionCard planning={planning} columns={columns} />
      <CodebookCard planning={planning} sample={columns} />
      <div class="columns level">
        <MethodCard planning={planning} columns={names} />
        <ProtectionCard planning={planning} />
      </div>
      <SitesCard planning={planning} />
      <ReviewCard
        planning={planning}
        coordinator={here.coordinator}
        onCreated={(links) => {
          setCreated({ links, name: plan.name.trim() });
          planning.replace(emptyPlan);
        }}
        onLoad={(loaded) => {
          setSample(undefined);
          planning.replace(loaded);
        }}
      />
    </>
  );
}
