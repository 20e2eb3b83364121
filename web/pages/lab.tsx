import '../style/lab.css';
import { useEffect, useState } from 'preact/hooks';
import type { PageProps } from '../app/here.ts';
import { useTitle } from '../app/shell.tsx';
import { ask } from '../desk/call.ts';
import { Notice, TroubleNotice } from '../ui/notice.tsx';
import { useAnswer } from '../ui/use-answer.ts';
import { FescLab } from './lab/fesc-lab.tsx';
import { type LabSettings, queryOf, readQuery } from './lab/lab-query.ts';
import { ridgeCardNames } from './lab/ridge-cards.ts';
import { RidgeFigure } from './lab/ridge-figure.tsx';

/** Experiments of two papers to play with, computed in the tab. It needs no study and no secret. */
export function LabPage(_: PageProps) {
  useTitle('Lab');
  const [{ settings, problems }, setState] = useState(() => readQuery(location.search));
  const { trouble } = useAnswer(() => ask('openLab', []), []);
  const set = (changed: Partial<LabSettings>) =>
    setState((now) => ({ ...now, settings: { ...now.settings, ...changed } }));
  const [arrived] = useState(settings);
  useEffect(() => {
    if (settings !== arrived) history.replaceState(null, '', queryOf(settings));
  }, [settings]);
  useEffect(() => {
    if (arrived.figure !== undefined) document.getElementById(arrived.figure)?.scrollIntoView();
  }, []);
  return (
    <>
      <div class="heading">
        <h1>Lab: what one round can do</h1>
        <div class="prose">
          <p>
            Sites can learn together in one round in two ways. Each may send its own model, to be
            averaged. Or each may send its sums, to be added: then the model is the one that all
            rows in one place would give.
          </p>
          <p>
            Averaging loses where sites have few rows: as a rule, m sites need about m rows each
            before the average is as good as one place with all rows. Other weights (FESC) help
            where sites have very few rows; whether they lower that bar is seen below. The exact
            fusion, which adds, needs no condition on sample sizes at all.
          </p>
          <p class="soft">
            The data here are drawn at random, in this tab. Nothing is sent anywhere.
          </p>
        </div>
      </div>
      {trouble !== undefined && <TroubleNotice trouble={trouble} />}
      {problems.length > 0 && (
        <Notice kind="warn" title="Some settings of this link are not possible.">
          <ul>
            {problems.map((problem) => (
              <li key={problem}>{problem}</li>
            ))}
          </ul>
        </Notice>
      )}
      <FescLab
        plan={settings.fesc}
        view={settings.view}
        onPlan={(fesc) => set({ fesc })}
        onView={(view) => set({ view })}
      />
      <div class="heading lab-second">
        <h2>The ridge paper</h2>
        <div class="prose">
          <p>
            Four experiments of “One-Shot Federated Ridge Regression” (arXiv 2601.08216). Dots are
            the values the paper prints, where the settings are the paper’s; lines are measured
            here.
          </p>
        </div>
      </div>
      <div class="lab-cards">
        {ridgeCardNames.map((name) => (
          <RidgeFigure
            key={name}
            name={name}
            choice={settings.ridge[name]}
            onChoice={(choice) => set({ ridge: { ...settings.ridge, [name]: choice } })}
            onStart={() => set({ figure: name })}
          />
        ))}
      </div>
    </>
  );
}
