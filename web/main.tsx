import './style/tokens.css';
import './style/page.css';
import './style/parts.css';
import { type ComponentType, render } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { AskOperator } from './app/ask-operator.tsx';
import { NotFound } from './app/not-found.tsx';
import { Shell } from './app/shell.tsx';
import { showHiddenCharacters } from './app/visible-page.ts';
import { operatorToken } from './tab/operator-token.ts';
import { type PageName, type PageProps, pageAddressOf } from './tab/page-address.ts';
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

const here = pageAddressOf(location, operatorToken());
operatorToken(here.operator);
// Another secret after # is another page: nothing from the earlier one may stay.
addEventListener('hashchange', () => location.reload());

function App() {
  const [page, setPage] = useState<{ Page: ComponentType<PageProps> }>();
  const [failed, setFailed] = useState(false);
  useEffect(() => {
    if (here.page === undefined || here.asksOperator === true) return;
    pages[here.page]().then(
      (Page) => setPage({ Page }),
      () => setFailed(true),
    );
  }, []);
  return (
    <Shell here={here}>
      {here.page === undefined && <NotFound coordinator={here.coordinator} />}
      {here.asksOperator === true && <AskOperator />}
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
