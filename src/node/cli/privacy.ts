import type { Command } from 'commander';
import { addPrivacyConvert } from './privacy-convert.ts';
import { addPrivacyPlan } from './privacy-plan.ts';

/** `suffice privacy`: what a promise costs, before it is made. */
export function addPrivacyCommand(program: Command): void {
  const privacy = program
    .command('privacy')
    .description(
      'plan a private study: what a promise means, its noise and what a fit will be worth',
    );
  addPrivacyPlan(privacy);
  addPrivacyConvert(privacy);
}
