import '../style/study.css';
import { useEffect } from 'preact/hooks';
import { useTitle } from '../app/shell.tsx';
import type { PageFailure } from '../page-failure.ts';
import { addressOf } from '../tab/own-address.ts';
import { isSite, type PageProps, type StudyLink } from '../tab/page-address.ts';
import { Card } from '../ui/card.tsx';
import { FailureNotice } from '../ui/notice.tsx';
import { RoundChoice } from '../ui/round-choice.tsx';
import { type ShownRound, useRounds } from '../ui/use-rounds.ts';
import { ExchangeCard } from './study/exchange-card.tsx';
import { StudyHeadline } from './study/headline.tsx';
import { LifeCard } from './study/life-card.tsx';
import { LogCard } from './study/log-card.tsx';
import { OpeningCard } from './study/opening-card.tsx';
import { PartiesCard } from './study/parties-card.tsx';
import { RegionCard } from './study/region-card.tsx';
import { SitesCard } from './study/sites-card.tsx';
import { TermsCard } from './study/terms-card.tsx';
import { useStudy } from './study/use-study.ts';
import { VersionsCard } from './study/versions-card.tsx';

/** A study, for the analyst. */
export function StudyPage({ here }: PageProps) {
  const { link } = here;
  const lost = link !== undefined && isSite(link);
  useEffect(() => {
    if (lost) location.replace(addressOf('join', link));
  }, [lost]);
  if (link === undefined) return <NoStudy coordinator={here.coordinator} />;
  return lost ? <h1>One moment</h1> : <RunningStudy link={link} />;
}

function NoStudy({ coordinator }: { readonly coordinator: string }) {
  useTitle('Study');
  return (
    <>
      <h1>No study in this link</h1>
      <Card
        title="The link is not complete"
        about="Open the whole link you were given: the part after # names the study and contains its secret."
      >
        <p>
          If you operate this coordinator, open the study from{' '}
          <a href={`${coordinator}/`}>the list</a>.
        </p>
      </Card>
    </>
  );
}

function headingOf(failure: PageFailure | undefined): string {
  if (failure === undefined) return 'Opening the study';
  return failure.kind === 'refusal'
    ? 'This link does not open a study'
    : 'The study cannot be shown right now';
}

function RunningStudy({ link }: { readonly link: StudyLink }) {
  const shown = useRounds(link);
  return <RunningRound key={shown.link.study} shown={shown} />;
}

function RunningRound({ shown }: { readonly shown: ShownRound }) {
  const { link, onNext } = shown;
  const { view, log, verdict, connection, fresh, failure } = useStudy(link);
  const next = view?.next?.digest;
  useEffect(() => {
    if (next !== undefined) onNext(next);
  }, [next]);
  useTitle(view?.study.name ?? 'Study');
  if (view === undefined) {
    return (
      <>
        <h1>{headingOf(failure)}</h1>
        {failure === undefined ? (
          <div key="waiting" class="waiting" />
        ) : (
          <FailureNotice failure={failure} />
        )}
      </>
    );
  }
  return (
    <>
      <StudyHeadline view={view} connection={connection} link={link} />
      <RoundChoice shown={shown} />
      {failure !== undefined && <FailureNotice failure={failure} />}
      <OpeningCard view={view} link={link} />
      <RegionCard view={view} />
      <SitesCard view={view} fresh={fresh} link={link} />
      <ExchangeCard view={view} log={log} />
      <PartiesCard view={view} log={log} />
      <VersionsCard view={view} link={link} />
      <div class="columns level">
        <LifeCard view={view} link={link} whole={shown.whole} />
        <LogCard log={log} verdict={verdict} link={link} />
      </div>
      <TermsCard view={view} />
    </>
  );
}
