import { expect, it } from 'vitest';
import { agreement, contribution, reduction } from '../src/federate.ts';
import { postStudy, studyClient } from '../src/protocol/client.ts';
import { createSigningKey } from '../src/protocol/signature.ts';
import { signContribution } from '../src/protocol/signed-contribution.ts';
import { encodeContribution } from '../src/statistic/envelope.ts';
import { digestBytes } from '../src/study/digest.ts';
import type { TableStudy } from '../src/study/study.ts';
import { linkOf } from './busy-site.ts';
import { coordinatorHome, stablePort, startCoordinator } from './coordinator-process.ts';
import { enduring } from './endurance.ts';
import { oneStore } from './stores.ts';

/** A file of three blocks of 4 MiB. */
const WIDTH = 1100;
const names = ['y', ...Array.from({ length: WIDTH }, (_, j) => `x${j}`)];
const study: TableStudy = {
  schema: 'suffice/study@1',
  formula: 'y ~ .',
  codebook: Object.fromEntries(names.map((name) => [name, { type: 'number', range: [-1, 1] }])),
  fusion: { kind: 'ridge', ridge: 1 },
  arithmetic: 'exact',
  disclosure: { profile: 'none' },
};

/** The blocks themselves are tested in one process, with short ones; here processes are killed. */
oneStore('a coordinator that is killed during an upload', (_, place) => {
  it.skipIf(!enduring)('goes on where it was, and counts the file once', async () => {
    const agreed = agreement(study);
    const sums = reduction(agreed, { file: 'rows', missing: 'drop' });
    const columns = names.map((_, j) =>
      Float64Array.from({ length: 9 }, (_, r) => Math.sin(r + j)),
    );
    sums.add({ rows: 9, columns }, (r) => r + 1);
    const made = contribution(agreed, 'north', sums.finish());
    const file = encodeContribution(signContribution(made, createSigningKey()));
    const home = coordinatorHome(await place());
    const port = await stablePort();
    let coordinator = startCoordinator(home, port);
    await coordinator.ready;
    const { address } = coordinator;
    const sites = ['north', 'south'];
    const created = await postStudy(address, home.operatorToken, { study, sites });
    const link = linkOf(created, address, 'north');
    const arrived: number[] = [];
    for (const kills of [1, 2, 0]) {
      let left = kills;
      const client = studyClient(link, {
        retryFor: 0,
        onUpload(bytes) {
          arrived.push(bytes);
          if (bytes > 0 && --left === 0) void coordinator.kill();
        },
      });
      const sent = client.contribute(file);
      if (kills === 0) {
        expect((await sent).digest).toBe(digestBytes(file));
        continue;
      }
      await expect(sent).rejects.toThrow();
      await coordinator.kill();
      coordinator = startCoordinator(home, port);
      await coordinator.ready;
    }
    const firsts = arrived.filter((bytes) => bytes === 0);
    expect(firsts).toHaveLength(1); // no second beginning
    const receipts = await studyClient(link).receipts();
    expect(receipts.map(({ digest }) => digest)).toEqual([digestBytes(file)]);
  });
});
