import type { Command } from 'commander';
import { UsageError } from '../usage-error.ts';
import { CommandEnd, exitCode, type Io, untilSignal } from './io.ts';
import { inkFor } from './terminal-text.ts';

interface DemoFlags {
  readonly images?: boolean;
  readonly secure?: boolean;
  readonly vertical?: boolean;
  readonly exit?: boolean;
  readonly port: string;
}

/** `suffice demo`: a coordinator and three sites, none of which could fit the model alone. */
export function addDemoCommand(program: Command, io: Io): void {
  program
    .command('demo')
    .description(
      'a coordinator and three real sites, one model: penguins by island, or handwritten digits',
    )
    .option('--images', 'handwritten digits in place of penguins: one classifier')
    .option('--secure', 'a helper as the second party: nobody sees the sums of one site')
    .option('--vertical', 'columns of the same penguins at two parties, which a helper links')
    .option('--exit', 'stop when done')
    .option('--port <number>', 'port of the coordinator; any free one if taken', '7700')
    .action(async (flags: DemoFlags) => {
      const { runDemo } = await import('../node/run/demo.ts');
      const code = await runDemo({
        demo: await demoOf(flags),
        port: Number(flags.port),
        stayUp: flags.exit !== true,
        untilStopped: () => untilSignal(io),
        ink: inkFor(io),
        print: (text) => io.stdout.write(`${text}\n`),
      });
      if (code !== exitCode.ok) throw new CommandEnd(code);
    });
}

async function demoOf(flags: DemoFlags) {
  if (flags.vertical === true) return verticalDemoOf(flags);
  const demo = await plainDemoOf(flags);
  if (flags.secure !== true) return demo;
  return (await import('../node/run/secure-demo.ts')).secureDemo(demo);
}

async function verticalDemoOf({ images, secure }: DemoFlags) {
  if (images === true || secure === true) {
    throw new UsageError(
      `--vertical and --${images === true ? 'images' : 'secure'} are two demos`,
      'choose one of them: with --vertical, a helper takes part already',
    );
  }
  return (await import('../node/run/vertical-demo.ts')).verticalDemo();
}

async function plainDemoOf({ images }: DemoFlags) {
  if (images === true) return (await import('../node/run/digit-demo.ts')).digitDemo();
  return (await import('../node/run/penguin-demo.ts')).penguinDemo();
}
