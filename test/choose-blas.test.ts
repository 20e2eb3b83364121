import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type Blas, findBlas } from '../src/node/compute/blas.ts';
import { blasChoice, measureSpeeds } from '../src/node/compute/choose-blas.ts';
import { enableRelaxedSimd } from '../src/node/compute/relaxed-simd.ts';

enableRelaxedSimd();

const named = (name: string) => ({ name }) as Blas;
const unasked = () => {
  throw new Error('nothing is to be measured');
};

describe('the choice of a BLAS', () => {
  it.each([
    ['libblas.so.3', 3.2, 13.3, false],
    ['libblas.so.3', 41, 20, true],
    ['libcblas.so.3', 20.1, 20, false],
    ['libblis.so.4', 24, 20, true],
    ['libblis.so.4', 23.9, 20, false],
  ])('%s at %s GF/s against %s: used %s', (name, blas, kernels, used) => {
    const choice = blasChoice(named(name), undefined, () => ({ blas, kernels }));
    expect(choice.blas?.name).toBe(used ? name : undefined);
    const figures = `measured: ${blas.toFixed(1)} GF/s against ${kernels.toFixed(1)} of the kernels`;
    expect(choice.why).toBe(used ? `${name}, ${figures}` : `${name} is not used, ${figures}`);
  });

  it.each([
    'libopenblas.so.0',
    'libmkl_rt.so.2',
    '/System/Library/Frameworks/Accelerate.framework/Accelerate',
  ])('takes %s by its name', (name) => {
    expect(blasChoice(named(name), undefined, unasked)).toEqual({ blas: { name }, why: name });
  });

  it('obeys SUFFICE_BLAS', () => {
    const slow = named('/opt/slow/libblas.so.3');
    expect(blasChoice(slow, slow.name, unasked)).toEqual({
      blas: slow,
      why: '/opt/slow/libblas.so.3, by SUFFICE_BLAS',
    });
    expect(blasChoice(undefined, 'none', unasked)).toEqual({ why: 'none, by SUFFICE_BLAS' });
  });

  it('says that there is none', () => {
    expect(blasChoice(undefined, undefined, unasked)).toEqual({ why: 'none found' });
  });
});

describe('the libraries of Debian', () => {
  it('leave the kernels in use where only the reference BLAS is there', async (context) => {
    const library = '/usr/lib/x86_64-linux-gnu/blas/libblas.so.3';
    if (!existsSync(library)) return context.skip('apt install libblas3');
    const blas = await findBlas({ library });
    expect(blasChoice(blas, undefined, measureSpeeds).blas).toBeUndefined();
  });

  it('give OpenBLAS without a measurement', async (context) => {
    const library = '/usr/lib/x86_64-linux-gnu/openblas-pthread/libopenblas.so.0';
    if (!existsSync(library)) return context.skip('apt install libopenblas0-pthread');
    const blas = await findBlas({ library });
    expect(blasChoice(blas, undefined, unasked).blas?.name).toBe(library);
  });
});
