import './style/tokens.css';
import './style/page.css';
import './style/parts.css';
import { type ComponentType, render } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { AskOperator } from './app/ask-operator.tsx';
import { NotFound } from './app/not-found.tsx';
import { Shell } from './app/shell.tsx';
import { operatorToken } from './tab/operator-token.ts';
import {
  type PageName,
  type PageProps,
  pageAddressOf,
  secretlessAddress,
} from './tab/page-address.ts';
import { recallToken, rememberToken } from './tab/study-token.ts';
import { showHiddenCharacters } from './ui/hidden-characters.ts';
import { FailureNotice } from './ui/notice.tsx';

const pages: Readonly<Record<PageName, () => Promise<ComponentType<PageProps>>>> = {
  '': async () => (await import('./pages/studies.tsx')).StudiesPage,
  create: async () => (await import('./pages/create.tsx')).CreatePage,
  study: async () => (await import('./pages/study.tsx')).StudyPage,
  result: async () => (await import('./pages/result.tsx')).ResultPage,
  predict: async () => (await import('./pages/predict.tsx')).PredictPage,
  join: async () => (await import('./pages/join.tsx')).JoinPage,
  lab: async () => (await import('./pages/lab.tsx')).LabPage,
};

const here = pageAddressOf(
  location,
  (page, link) => recallToken(page, link) ?? (page === 'join' ? undefined : operatorToken()),
);
operatorToken(here.operator);
hideSecret();
// Another secret after # is another page: nothing from the earlier one may stay.
addEventListener('hashchange', () => location.reload());

// A site has no use for the operator's token: its page asks for the invitation.
const asks = here.asksOperator === true && here.page !== 'join';

/** Takes the secret of a study out of the address and the history; the tab remembers it. */
function hideSecret(): void {
  const { page, link } = here;
  if (page === undefined || link === undefined || link.token.startsWith('sfo_')) return;
  if (!rememberToken(link) || !location.hash.includes(link.token)) return;
  const { hash } = new URL(secretlessAddress(page, link));
  history.replaceState(history.state, '', location.pathname + location.search + hash);
}

function App() {
  const [page, setPage] = useState<{ Page: ComponentType<PageProps> }>();
  const [failed, setFailed] = useState(false);
  useEffect(() => {
    if (here.page === undefined || asks) return;
    pages[here.page]().then(
      (Page) => setPage({ Page }),
      () => setFailed(true),
    );
  }, []);
  return (
    <Shell here={here}>
      {here.page === undefined && <NotFound coordinator={here.coordinator} />}
      {asks && <AskOperator />}
      {page !== undefined && <page.Page here={here} />}
      {failed && <FailureNotice failure={lost} />}
    </Shell>
  );
}

const lost = {
  kind: 'network',
  problem: 'A part of this page could not be loaded.',
  remedy: 'Check the connection and reload the page.',
} as const;

showHiddenCharacters();
render(<App />, document.getElementById('app')!);
