import type { Command } from 'commander';
import type { Io } from './io.ts';
import { addStudyAdmin } from './study-admin.ts';
import { addStudyAdvise } from './study-advise.ts';
import { addStudyCheck } from './study-check.ts';
import { addStudyCreate } from './study-create.ts';
import { addStudyInit } from './study-init.ts';
import { addStudyLife } from './study-life.ts';
import { addStudyRefine } from './study-refine.ts';
import { addStudyRegion } from './study-region.ts';
import { addStudySecure } from './study-secure.ts';

/** `suffice study`: draft, check, identify, create and run a study. */
export function addStudyCommand(program: Command, io: Io): void {
  const study = program.command('study').description('draft, check, create and run a study');
  addStudyInit(study, io);
  addStudyCheck(study, io);
  addStudyAdvise(study, io);
  addStudyCreate(study, io);
  addStudySecure(study, io);
  addStudyLife(study, io);
  addStudyAdmin(study, io);
  addStudyRefine(study, io);
  addStudyRegion(study, io);
}
