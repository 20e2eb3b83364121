import '../style/study.css';
import { useEffect } from 'preact/hooks';
import { addressOf, isSite, type PageProps, type StudyLink } from '../app/here.ts';
import { useTitle } from '../app/shell.tsx';
import type { Trouble } from '../desk/trouble.ts';
import { Card } from '../ui/card.tsx';
import { TroubleNotice } from '../ui/notice.tsx';
import { Headline } from './study/headline.tsx';
import { LifeCard } from './study/life-card.tsx';
import { LogCard } from './study/log-card.tsx';
import { SitesCard } from './study/sites-card.tsx';
import { TermsCard } from './study/terms-card.tsx';
import { useStudy } from './study/use-study.ts';
import { VersionsCard } from './study/versions-card.tsx';

/** A study, for who runs it. */
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
        about="Open the whole link you were given: the part behind # names the study and holds its secret."
      >
        <p>
          If you operate this coordinator, open the study from{' '}
          <a href={`${coordinator}/`}>the list</a>.
        </p>
      </Card>
    </>
  );
}

function headingOf(trouble: Trouble | undefined): string {
  if (trouble === undefined) return 'Opening the study';
  return trouble.kind === 'refusal'
    ? 'This link does not open a study'
    : 'The study cannot be shown now';
}

function RunningStudy({ link }: { readonly link: StudyLink }) {
  const { view, log, verdict, connection, fresh, trouble } = useStudy(link);
  useTitle(view?.study.name ?? 'Study');
  if (view === undefined) {
    return (
      <>
        <h1>{headingOf(trouble)}</h1>
        {trouble === undefined ? (
          <div key="waiting" class="waiting" />
        ) : (
          <TroubleNotice trouble={trouble} />
        )}
      </>
    );
  }
  return (
    <>
      <Headline view={view} connection={connection} link={link} />
      {trouble !== undefined && <TroubleNotice trouble={trouble} />}
      <SitesCard view={view} fresh={fresh} link={link} />
      <VersionsCard view={view} link={link} />
      <div class="columns level">
        <LifeCard view={view} link={link} />
        <LogCard log={log} verdict={verdict} link={link} />
      </div>
      <TermsCard view={view} />
    </>
  );
}
