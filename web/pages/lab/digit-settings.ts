import type { DigitPlan } from '../../../experiments/fisher/digit-trial.ts';
import type { NumberSetting } from './number-setting.ts';

/** The settings of the card with networks that are fused. */
export const digitSettings: Readonly<Record<keyof DigitPlan, NumberSetting>> = {
  clients: { label: 'Clients', least: 2, most: 8, usual: 5, slides: true },
  alpha: { label: 'Alike, α', least: 0.05, most: 100, usual: 0.1, step: 0.05 },
  units: { label: 'Hidden units', least: 4, most: 128, usual: 32 },
  epochs: { label: 'Epochs', least: 1, most: 100, usual: 20 },
  seed: { label: 'Seed', least: 0, most: 9999, usual: 1 },
};

export const digitSettingNames: readonly (keyof DigitPlan)[] = Object.keys(
  digitSettings,
) as (keyof DigitPlan)[];
