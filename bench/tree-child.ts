import { simulateTree } from './tree-devices.ts';

const [devices, seed] = process.argv.slice(2).map(Number);
const outcome = simulateTree({ devices, fanOut: 100, dropouts: 0.05, seed }, (share) => {
  process.stderr.write(`${Math.round(100 * share)} %\n`);
});
const { user, system } = process.cpuUsage();
const cpuSeconds = (user + system) / 1e6;
process.stdout.write(`${JSON.stringify({ ...outcome, cpuSeconds })}\n`);
