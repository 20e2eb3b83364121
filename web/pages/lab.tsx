import '../style/lab.css';
import { useEffect, useState } from 'preact/hooks';
import { useTitle } from '../app/shell.tsx';
import type { PageProps } from '../tab/page-address.ts';
import { FailureNotice, Notice } from '../ui/notice.tsx';
import { useAnswer } from '../ui/use-answer.ts';
import { call } from '../worker/call.ts';
import { DigitLab } from './lab/digit-lab.tsx';
import { useEarlier } from './lab/earlier.ts';
import { FescLab } from './lab/fesc-lab.tsx';
import { type LabSettings, queryOf, readQuery } from './lab/lab-query.ts';
import { ridgeCardNames } from './lab/ridge-cards.ts';
import { RidgeFigure } from './lab/ridge-figure.tsx';
import { WidthLab } from './lab/width-lab.tsx';

/** Experiments of three papers, computed in the tab. The page needs no study and no secret. */
export function LabPage(_: PageProps) {
  useTitle('Lab');
  const [{ settings, problems }, setState] = useState(() => readQuery(location.search));
  const { failure } = useAnswer(() => call('openLab', []), []);
  const set = (changed: Partial<LabSettings>) =>
    setState((now) => ({ ...now, settings: { ...now.settings, ...changed } }));
  const [initial] = useState(settings);
  const earlier = useEarlier();
  useEffect(() => {
    if (settings !== initial) history.replaceState(null, '', queryOf(settings));
  }, [settings]);
  useEffect(() => {
    if (initial.figure !== undefined) document.getElementById(initial.figure)?.scrollIntoView();
  }, []);
  return (
    <>
      <div class="heading">
        <h1>Lab: what one round can do</h1>
        <div class="prose">
          <p>
            Sites that keep their rows can still fit a model together in one round. Each site can
            send its own model, and the models are averaged. Or each site sends its sums, and the
            sums are added: this gives the same model as all rows in one place. Averaging loses
            accuracy if sites have few rows. Adding loses nothing, whatever their sizes.
          </p>
          <p>
            As a rule, m sites need about m rows each before their average is as good as all rows in
            one place. Other weights (FESC) are meant to need fewer rows: see below whether they do.
          </p>
          <p class="soft">The data are drawn at random in this tab. Nothing is sent.</p>
        </div>
      </div>
      {failure !== undefined && <FailureNotice failure={failure} />}
      {problems.length > 0 && (
        <Notice kind="warn" title="Some settings in this link are not possible.">
          <ul>
            {problems.map((problem) => (
              <li key={problem}>{problem}</li>
            ))}
          </ul>
        </Notice>
      )}
      <FescLab
        earlier={earlier}
        plan={settings.fesc}
        view={settings.view}
        onPlan={(fesc) => set({ fesc })}
        onView={(view) => set({ view })}
      />
      <div class="heading lab-second">
        <h2>The ridge paper</h2>
        <div class="prose">
          <p>
            Four experiments of “One-Shot Federated Ridge Regression” (arXiv 2601.08216). Lower is
            better. Lines are measured here; dots are the values the paper prints, where the
            settings are the paper’s.
          </p>
        </div>
      </div>
      <div class="lab-cards">
        {ridgeCardNames.map((name) => (
          <RidgeFigure
            key={name}
            name={name}
            earlier={earlier}
            choice={settings.ridge[name]}
            onChoice={(choice) => set({ ridge: { ...settings.ridge, [name]: choice } })}
            onStart={() => set({ figure: name })}
          />
        ))}
      </div>
      <div class="heading lab-second">
        <h2>The FedFisher paper</h2>
        <div class="prose">
          <p>
            “FedFisher: Leveraging Fisher Information for One-Shot Federated Learning” (arXiv
            2403.12329) fuses neural networks in one round. Here with small ones;{' '}
            <code>suffice paper fisher</code> has its tables.
          </p>
        </div>
      </div>
      <DigitLab plan={settings.digits} onPlan={(digits) => set({ digits })} />
      <WidthLab />
    </>
  );
}
