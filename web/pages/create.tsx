import '../style/study.css';
import '../style/create.css';
import { useEffect, useState } from 'preact/hooks';
import { useTitle } from '../app/shell.tsx';
import type { PageProps } from '../tab/page-address.ts';
import { call } from '../worker/call.ts';
import type { StudyLinks as Created } from '../worker/create.ts';
import { emptyPlan, withImages, withoutImages, withSample, writtenOut } from '../worker/plan.ts';
import type { SampleOverview } from '../worker/sample.ts';
import { AddingCard } from './create/adding-card.tsx';
import { CodebookCard } from './create/codebook-card.tsx';
import { CreatedLinks } from './create/created-links.tsx';
import { MethodCard } from './create/method-card.tsx';
import { Progress } from './create/progress.tsx';
import { ProtectionCard } from './create/protection-card.tsx';
import { QuestionCard } from './create/question-card.tsx';
import { ReviewCard } from './create/review-card.tsx';
import { SampleCard } from './create/sample-card.tsx';
import { PlannedSitesCard } from './create/sites-card.tsx';
import { StartOver } from './create/start-over.tsx';
import { usePlan } from './create/use-plan.ts';

/** A new study, by form. */
export function CreatePage({ here }: PageProps) {
  useTitle('New study');
  const planning = usePlan();
  const [sample, setSample] = useState<SampleOverview>();
  const [created, setCreated] = useState<{ readonly links: Created; readonly name: string }>();
  // Each new form gets a new sample card, so that nothing from the earlier file stays.
  const [formNumber, setFormNumber] = useState(0);
  useEffect(() => {
    void call('loadSampleReader', []);
    // The tab remembers the secret, so it is removed from the address and the history.
    if (here.operator !== undefined) history.replaceState(null, '', `${here.coordinator}/create`);
  }, [here]);
  const { plan, codebook } = planning;
  if (created !== undefined) {
    const { coordinator } = here;
    return <CreatedLinks coordinator={coordinator} created={created.links} name={created.name} />;
  }
  const takeSample = (found: SampleOverview | undefined) => {
    setSample(found);
    planning.revise((now) => {
      if (found === undefined) return writtenOut(now, codebook);
      if (found.images !== undefined) return withImages(now, found.images.data);
      return withSample(withoutImages(now));
    });
  };
  const startOver = () => {
    setSample(undefined);
    setFormNumber(formNumber + 1);
    planning.replace(emptyPlan);
    void call('forgetSample', []);
  };
  const columns = sample?.columns ?? [];
  const names = sample === undefined ? Object.keys(plan.columns) : columns.map(({ name }) => name);
  return (
    <>
      <div class="heading">
        <h1>New study</h1>
        <p class="prose soft">
          Everything here stays in this tab until you press Create. A reload keeps the form, but not
          the sample.
        </p>
        {plan !== emptyPlan && <StartOver onStart={startOver} />}
      </div>
      <Progress planning={planning} />
      <SampleCard key={formNumber} sample={sample} onSample={takeSample} />
      <QuestionCard planning={planning} columns={columns} />
      {plan.images === undefined && <CodebookCard planning={planning} sample={columns} />}
      <div class="columns level">
        <MethodCard planning={planning} columns={names} />
        <ProtectionCard planning={planning} />
      </div>
      <AddingCard planning={planning} />
      <PlannedSitesCard planning={planning} />
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
