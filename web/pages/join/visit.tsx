import { useRef, useState } from 'preact/hooks';
import { addressOf, type StudyLink } from '../../app/here.ts';
import type { Arrival } from '../../desk/arrival.ts';
import { Notice } from '../../ui/notice.tsx';
import { FileStep } from './file-step.tsx';
import { LedgerCard } from './ledger-card.tsx';
import { PartCard } from './part-card.tsx';
import { ReadingStep } from './reading-step.tsx';
import { ReceiptStep } from './receipt-step.tsx';
import { SavedStep } from './saved-step.tsx';
import { barredBy, StandingNotices } from './standing-notices.tsx';
import { Steps } from './steps.tsx';
import { StudyCard } from './study-card.tsx';
import { TroubleStep } from './trouble-step.tsx';
import { UnsentStep } from './unsent-step.tsx';
import { useReadiness } from './use-readiness.ts';
import { useVisit } from './use-visit.ts';
import { WaitingCard } from './waiting-card.tsx';

interface VisitProps {
  readonly link: StudyLink;
  readonly arrival: Arrival;
  /** Asks for the study once more. */
  readonly onAgain: () => void;
}

/** The way of a site from the study to the receipt. */
export function Visit({ link, arrival, onAgain }: VisitProps) {
  const { study, site, host } = arrival;
  const readiness = useReadiness();
  const visit = useVisit();
  const [again, setAgain] = useState<'add' | 'replace'>();
  const place = useRef<HTMLDivElement>(null);
  const { phase } = visit;
  const barred = barredBy(arrival);
  const open = barred === undefined && (!arrival.contributed || again !== undefined);
  const { Findings } = readiness;
  const result = addressOf('result', link);
  return (
    <>
      <header class="heading join-heading">
        <p class="soft">
          An invitation for {site}, to the coordinator at {host}
        </p>
        <h1>{study.name ?? 'A study without a name'}</h1>
        <Steps phase={phase.at} done={arrival.contributed && again === undefined} />
      </header>
      <StandingNotices arrival={arrival} result={result} onAgain={onAgain} />
      <WaitingCard arrival={arrival} onSent={visit.sent} onAgain={onAgain} />
      <StudyCard arrival={arrival} folded={phase.at !== 'file' || arrival.contributed} />
      <div ref={place} class="stack join-place">
        {arrival.contributed && (barred ?? 'spent') === 'spent' && phase.at === 'file' && (
          <PartCard arrival={arrival} again={again} onChoose={setAgain} onAgain={onAgain} />
        )}
        {phase.at === 'file' && phase.trouble !== undefined && (
          <TroubleStep
            trouble={phase.trouble}
            study={study}
            wishes={visit.wishes}
            onAgain={(change) => visit.readAgain(change, again)}
          />
        )}
        {phase.at === 'file' && open && (
          <FileStep
            readiness={readiness}
            wishes={visit.wishes}
            onWish={visit.wish}
            onFile={(file) => visit.read(file, again)}
            hasFocus={phase.returned && (phase.trouble?.kind ?? 'cancelled') === 'cancelled'}
          />
        )}
        {phase.at === 'reading' && (
          <ReadingStep file={phase.file} progress={phase.progress} onCancel={visit.cancel} />
        )}
        {phase.at === 'read' && Findings !== undefined && (
          <Findings
            reading={phase.reading}
            arrival={arrival}
            busy={phase.busy}
            onAnotherFile={visit.anotherFile}
            onSend={visit.send}
            onSave={visit.save}
          />
        )}
        {phase.at === 'unsent' && (
          <UnsentStep
            trouble={phase.trouble}
            waits={phase.waits}
            onAgain={onAgain}
            onAnotherFile={visit.anotherFile}
          />
        )}
        {phase.at === 'sent' && (
          <ReceiptStep sent={phase.sent} arrival={arrival} result={result} onAgain={onAgain} />
        )}
        {phase.at === 'saved' && <SavedStep name={phase.name} onAgain={onAgain} />}
      </div>
      {'key' in arrival.home ? (
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
