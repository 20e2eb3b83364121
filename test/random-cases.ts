import fc from 'fast-check';
import { enduring } from './endurance.ts';

/** How many random cases a law is tried on that names no number: other ones in every run of the check, and more in `npm run endure`. */
fc.configureGlobal({ numRuns: enduring ? 100 : 10 });
