import { useRef, useState } from 'preact/hooks';
import { addressOf } from '../../tab/own-address.ts';
import type { StudyLink } from '../../tab/page-address.ts';
import { Notice } from '../../ui/notice.tsx';
import type { Landing } from '../../worker/landing.ts';
import { ContributedCard } from './contributed-card.tsx';
import { FailureStep } from './failure-step.tsx';
import { FileStep } from './file-step.tsx';
import { HelpingCard } from './helping-card.tsx';
import { LedgerCard } from './ledger-card.tsx';
import { MembershipNotices, noFileReason } from './membership-notices.tsx';
import { OpenRequestCard } from './open-request-card.tsx';
import { ReceiptStep, SavedStep, UnsentStep } from './outcome-steps.tsx';
import { ReadingStep } from './reading-step.tsx';
import { StudyCard } from './study-card.tsx';
import { useReadiness } from './use-readiness.ts';
import { type Phase, useSession } from './use-session.ts';
import { WaitingCard } from './waiting-card.tsx';

interface JoinFlowProps {
  readonly link: StudyLink;
  readonly landing: Landing;
  /** Fetches the study again. */
  readonly onAgain: () => void;
}

/** The steps of a site, from the study to the receipt. */
export function JoinFlow({ link, landing, onAgain }: JoinFlowProps) {
  const { study, site, host } = landing;
  const readiness = useReadiness();
  const session = useSession();
  const [again, setAgain] = useState<'add' | 'replace'>();
  const place = useRef<HTMLDivElement>(null);
  const { phase } = session;
  const noFile = noFileReason(landing);
  const takesFile = noFile === undefined && (!landing.contributed || again !== undefined);
  const { AuditResult, exchange } = readiness;
  const result = addressOf('result', link);
  const counted = phase.at === 'sent' && !phase.sent.receipt.late;
  const present = counted ? withOwnContribution(landing) : landing;
  return (
    <>
      <header class="heading join-heading">
        <p class="soft">
          An invitation for {site}, from the coordinator at {host}
        </p>
        <h1>{study.name ?? 'A study without a name'}</h1>
        <JoinSteps
          phase={phase.at}
          names={landing.partitioned ? partyStepNames : stepNames}
          done={landing.contributed && again === undefined}
        />
      </header>
      <MembershipNotices landing={landing} result={result} onAgain={onAgain} />
      <OpenRequestCard landing={landing} onAgain={onAgain} />
      <WaitingCard landing={landing} onSent={session.sent} onAgain={onAgain} />
      <StudyCard landing={present} folded={phase.at !== 'file' || landing.contributed} />
      <div ref={place} class="stack join-place">
        {landing.contributed && (noFile ?? 'spent') === 'spent' && phase.at === 'file' && (
          <ContributedCard landing={landing} again={again} onChoose={setAgain} onAgain={onAgain} />
        )}
        {phase.at === 'file' && phase.failure !== undefined && (
          <FailureStep
            failure={phase.failure}
            explanation={phase.explanation}
            training={phase.training}
            study={study}
            options={session.options}
            onAgain={(change) => session.readAgain(change, again)}
          />
        )}
        {phase.at === 'file' && takesFile && <BegunNotice landing={landing} />}
        {phase.at === 'file' && takesFile && (
          <FileStep
            readiness={readiness}
            options={session.options}
            onOptions={session.setOptions}
            onFile={(file) => session.read(file, again)}
            images={study.images !== undefined}
            inMemory={landing.partitioned}
            trained={
              'trained' in landing.store && !phase.returned ? landing.store.trained : undefined
            }
            hasFocus={phase.returned && (phase.failure?.kind ?? 'cancelled') === 'cancelled'}
          />
        )}
        {phase.at === 'reading' && (
          <ReadingStep file={phase.file} progress={phase.progress} onCancel={session.cancel} />
        )}
        {phase.at === 'read' && AuditResult !== undefined && (
          <AuditResult
            reading={phase.reading}
            landing={landing}
            busy={phase.busy}
            upload={phase.upload}
            onAnotherFile={session.anotherFile}
            onSend={session.send}
            onSave={session.save}
            onTakePart={session.takePart}
          />
        )}
        {phase.at === 'exchanging' && exchange !== undefined && (
          <exchange.ExchangingStep view={phase.view} onStop={session.cancel} />
        )}
        {phase.at === 'stopped' && exchange !== undefined && (
          <exchange.StoppedStep
            failure={phase.failure}
            onGoOn={() => session.takePart(phase.acknowledged)}
            onAgain={onAgain}
          />
        )}
        {phase.at === 'unsent' && (
          <UnsentStep
            failure={phase.failure}
            waits={phase.waits}
            onAgain={onAgain}
            onAnotherFile={session.anotherFile}
          />
        )}
        {phase.at === 'sent' && (
          <ReceiptStep sent={phase.sent} landing={landing} result={result} onAgain={onAgain} />
        )}
        {(phase.at === 'sent' || ('helps' in landing.store && landing.store.helps)) &&
          landing.masked && <HelpingCard />}
        {phase.at === 'saved' && <SavedStep name={phase.name} onAgain={onAgain} />}
      </div>
      {'key' in landing.store ? (
        <LedgerCard phase={phase.at} />
      ) : (
        <Notice kind="info">
          <p>
            The command line does the same and keeps its key and ledger in a folder:{' '}
            <code>npx suffice join INVITATION FILE</code>
          </p>
        </Notice>
      )}
    </>
  );
}

/** A party that has begun the exchange goes on with its file. */
function BegunNotice({ landing: { store } }: { readonly landing: Landing }) {
  if (!('key' in store) || store.exchanging === undefined) return null;
  return (
    <Notice kind="info" title="You have begun the exchange with the other parties.">
      <p>
        {store.exchanging === 'key'
          ? 'Choose your file again: the exchange goes on where it was.'
          : 'Choose the same file again: the exchange goes on where it was. Another file is refused, since what was sent follows from the first one.'}
      </p>
    </Notice>
  );
}

/** The study as it is after the contribution of this site was acknowledged. */
function withOwnContribution(landing: Landing): Landing {
  const sites = landing.sites.map((one) =>
    one.name === landing.site ? { ...one, state: 'contributed' as const } : one,
  );
  return { ...landing, sites };
}

const stepNames = ['The study', 'Your file', 'What will be sent', 'The receipt'] as const;
const partyStepNames = [
  'The study',
  'Your file',
  'What will be sent',
  'The exchange',
  'The receipt',
] as const;
const stepOf: Readonly<Record<Phase['at'], (typeof partyStepNames)[number]>> = {
  file: 'Your file',
  reading: 'Your file',
  read: 'What will be sent',
  exchanging: 'The exchange',
  stopped: 'The exchange',
  unsent: 'What will be sent',
  sent: 'The receipt',
  saved: 'The receipt',
};

/** The list of steps, with the present one marked. */
function JoinSteps({
  phase,
  names,
  done,
}: {
  readonly phase: Phase['at'];
  readonly names: readonly string[];
  /** The site has contributed and sends nothing more. */
  readonly done: boolean;
}) {
  const here = done && phase === 'file' ? names.length : names.indexOf(stepOf[phase]);
  return (
    <ol class="steps" aria-label="Steps">
      {names.map((name, k) => (
        <li
          key={name}
          class={k < here ? 'done' : undefined}
          aria-current={k === here ? 'step' : undefined}
        >
          {name}
        </li>
      ))}
    </ol>
  );
}
