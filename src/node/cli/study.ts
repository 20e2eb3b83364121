import type { Command } from 'commander';
import { addStudyCheck } from './study-check.ts';
import { addStudyCreate } from './study-create.ts';
import { addStudyInit } from './study-init.ts';
import { addStudyLife } from './study-life.ts';
import { addStudyRefine } from './study-refine.ts';

/** `suffice study`: draft, check, identify, create and run a study. */
export function addStudyCommand(program: Command): void {
  const study = program.command('study').description('draft, check, create and run a study');
  addStudyInit(study);
  addStudyCheck(study);
  addStudyCreate(study);
  addStudyLife(study);
  addStudyRefine(study);
}
