import type { Command } from 'commander';

export function addBenchCommand(program: Command): void {
  program
    .command('bench')
    .description('which kernels are in use, and how fast they are here')
    .action(() => {});
}
