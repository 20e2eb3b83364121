import { paragraph } from '../../src/export/html-table.ts';
import { defaultSimulationPlan as usualFesc } from '../fesc/simulation.ts';
import { defaultFisherPlan as usualFisher } from '../fisher/plan.ts';
import { defaultImagePlan as usualImages } from '../images/plan.ts';
import type { PaperName, PaperResult } from '../paper-result.ts';
import { defaultRidgePlan as usualRidge } from '../ridge/plan.ts';
import { secondsText } from '../text/value-text.ts';

type Settings = PaperResult['settings'];

const usual: Readonly<Record<PaperName, Settings>> = {
  ridge: { ...usualRidge },
  fesc: { ...usualFesc, quick: false },
  images: { ...usualImages },
  fisher: { ...usualFisher },
};

/** Always shown, even with default values: without them nothing can be run again. */
const always: readonly string[] = ['trials', 'runs', 'seed'];

/** Settings, machine and date of a run, so that it can be run again. */
export function circumstances(result: PaperResult): string {
  const { date, machine, versions, seconds } = result;
  const used = Object.entries(versions).map(([name, version]) => `${name} ${version}`);
  const facts = [date, secondsText(seconds), machine, ...used].join(' · ');
  return [paragraph(settingsText(result)), paragraph(facts, 'soft small')].join('\n');
}

function settingsText({ paper, settings }: PaperResult): string {
  const shown = Object.entries(settings)
    .filter(([name, value]) => always.includes(name) || value !== usual[paper][name])
    .map(([name, value]) => (value === true ? spaced(name) : `${spaced(name)} ${value}`));
  return `Settings: ${shown.join(', ')}; all else by default.`;
}

const spaced = (name: string) => name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
