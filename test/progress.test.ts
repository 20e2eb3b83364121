import type { WriteStream } from 'node:tty';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { shareProgress, terminalProgress } from '../src/node/run/progress.ts';
import { byteText } from '../src/text/number-text.ts';
import { suffice } from './cli.ts';

/** A terminal of the given width that remembers what it was told. */
function terminal(columns: number) {
  const written: string[] = [];
  const write = (text: string) => written.push(text);
  return { written, stream: { columns, isTTY: true, write } as unknown as WriteStream };
}

describe('progress', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['performance'] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('stays silent for work under a second', () => {
    const { written, stream } = terminal(120);
    const bar = terminalProgress('reading', 1e9, stream);
    vi.advanceTimersByTime(900);
    bar.update(5e8, 1000);
    bar.done();
    expect(written).toEqual([]);
  });

  it('then shows bytes, rows a second and time left, and clears the line at the end', () => {
    const { written, stream } = terminal(120);
    const bar = terminalProgress('reading', 1e9, stream);
    vi.advanceTimersByTime(2000);
    bar.update(2.5e8, 500_000);
    bar.done();
    expect(written[0]).toContain('reading ██████░░');
    expect(written[0]).toContain('250 MB of 1.0 GB  250k rows/s  6 s left');
    expect(written[1]).toBe('\r\x1b[2K');
  });

  it('of other work names what is being done', () => {
    const { written, stream } = terminal(120);
    const bar = shareProgress(stream);
    vi.advanceTimersByTime(900);
    bar.update(0.1, 'experiment 1');
    expect(written).toEqual([]);
    vi.advanceTimersByTime(1100);
    bar.update(0.256, 'experiment 2: trial 1 of 5');
    bar.done();
    expect(written[0]).toContain('██████░░');
    expect(written[0]).toContain(' 25 %  6 s left  experiment 2: trial 1 of 5');
    expect(written[1]).toBe('\r\x1b[2K');
  });

  it('fits a narrow terminal', () => {
    const { written, stream } = terminal(40);
    const bar = terminalProgress('drafting the codebook', 1e9, stream);
    vi.advanceTimersByTime(3000);
    bar.update(1e8, 10);
    expect(written[0].replace('\r\x1b[2K', '').length).toBeLessThan(40);
  });

  it('is absent where stderr is no terminal', async () => {
    const { code, stderr } = await suffice('fit', 'body_mass ~ sex', 'examples/penguins/dream.csv');
    expect([code, stderr]).toEqual([0, '']);
  });
});

describe('byteText', () => {
  it.each([
    [0, '0 B'],
    [999, '999 B'],
    [1500, '1.5 kB'],
    [340_000, '340 kB'],
    [1.26e9, '1.3 GB'],
  ])('%d', (bytes, text) => {
    expect(byteText(bytes)).toBe(text);
  });
});
