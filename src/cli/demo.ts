import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Command } from 'commander';
import { packageRoot } from '../node/files/package-files.ts';
import { CommandEnd, exitCode, type Io, untilSignal } from './io.ts';
import { inkFor } from './terminal-text.ts';

/** `suffice demo`: a coordinator and three islands of penguins, none of which could fit the model alone. */
export function addDemoCommand(program: Command, io: Io): void {
  program
    .command('demo')
    .description('a coordinator and three real sites, one model: the Palmer penguins by island')
    .option('--exit', 'stop when done')
    .option('--port <number>', 'port of the coordinator; any free one if taken', '7700')
    .action(async (flags: { readonly exit?: boolean; readonly port: string }) => {
      const { runDemo } = await import('../node/run/demo.ts');
      const folder = new URL('examples/penguins/', packageRoot);
      const warned = { biscoe: [], dream: ['R6'], torgersen: ['R6', 'R7'] };
      const islands = Object.entries(warned).map(([name, acknowledged]) => ({
        name,
        path: fileURLToPath(new URL(`${name}.csv`, folder)),
        acknowledged,
      }));
      const { parseStudy } = await import('../fusion/study-schema.ts');
      const study = parseStudy(JSON.parse(readFileSync(new URL('study.json', folder), 'utf8')));
      const code = await runDemo({
        study,
        islands,
        port: Number(flags.port),
        stayUp: flags.exit !== true,
        untilStopped: () => untilSignal(io),
        ink: inkFor(io),
        print: (text) => io.stdout.write(`${text}\n`),
      });
      if (code !== exitCode.ok) throw new CommandEnd(code);
    });
}
