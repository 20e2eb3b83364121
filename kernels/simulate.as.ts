// Simulated rows. Normals are those of src/random/normals.ts over seededWords, bit for bit, made a batch at a time: words,
// then the polar method with no branch on what was drawn, then two logarithms (src/random/natural-log.ts) at once.
// Nothing here is fused, but kernels called from here are in the fused build, so experiments use the other build.
import { factorBlock } from './cholesky.as';
import { dot } from './vector.as';

const BATCH_WORDS: i32 = 1024;
const ATTEMPTS: i32 = BATCH_WORDS / 4;

// A stream: four words of xoshiro128**, the next normal and their number, then three arrays, the last two with room for an
// attempt that failed.
const NEXT: usize = 16;
const COUNT: usize = 20;
const WORDS: usize = 64;
const NORMALS: usize = WORDS + <usize>BATCH_WORDS * 4;
const SQUARES: usize = NORMALS + <usize>(ATTEMPTS + 1) * 16;

/** Bytes of a stream. */
export function normalStreamBytes(): i32 {
  return <i32>(SQUARES + <usize>(ATTEMPTS + 2) * 8);
}

/** Starts a stream as seededWords(seed) starts. */
export function seedNormals(stream: usize, seed: i32): void {
  let filling: u32 = <u32>seed;
  for (let k: usize = 0; k < 4; k++) {
    filling += 0x9e3779b9;
    let word: u32 = (filling ^ (filling >> 16)) * 0x85ebca6b;
    word = (word ^ (word >> 13)) * 0xc2b2ae35;
    store<u32>(stream + k * 4, word ^ (word >> 16));
  }
  store<i32>(stream, 0, NEXT);
  store<i32>(stream, 0, COUNT);
}

/** The next `count` normals of the stream. */
export function fillNormals(stream: usize, out: usize, count: i32): void {
  while (count > 0) {
    const next: i32 = load<i32>(stream, NEXT);
    const taken: i32 = min(count, load<i32>(stream, COUNT) - next);
    memory.copy(out, stream + NORMALS + <usize>next * 8, <usize>taken * 8);
    store<i32>(stream, next + taken, NEXT);
    out += <usize>taken * 8;
    count -= taken;
    if (count > 0) refill(stream);
  }
}

function refill(stream: usize): void {
  drawWords(stream);
  const pairs: i32 = drawPairs(stream);
  stretchPairs(stream, pairs);
  store<i32>(stream, 0, NEXT);
  store<i32>(stream, 2 * pairs, COUNT);
}

function drawWords(stream: usize): void {
  let a = load<u32>(stream, 0), b = load<u32>(stream, 4), c = load<u32>(stream, 8), d = load<u32>(stream, 12);
  const end: usize = stream + WORDS + <usize>BATCH_WORDS * 4;
  for (let at: usize = stream + WORDS; at < end; at += 4) {
    store<u32>(at, rotl<u32>(b * 5, 7) * 9);
    const shifted: u32 = b << 9;
    c ^= a;
    d ^= b;
    b ^= c;
    a ^= d;
    c ^= shifted;
    d = rotl<u32>(d, 11);
  }
  store<u32>(stream, a, 0);
  store<u32>(stream, b, 4);
  store<u32>(stream, c, 8);
  store<u32>(stream, d, 12);
}

// Points in the disc and the squares of their lengths; the next point overwrites one outside.
function drawPairs(stream: usize): i32 {
  let point: usize = stream + NORMALS;
  let length: usize = stream + SQUARES;
  const end: usize = stream + WORDS + <usize>BATCH_WORDS * 4;
  for (let at: usize = stream + WORDS; at < end; at += 16) {
    const pair = signedPair(v128.load(at));
    v128.store(point, pair);
    const squares = f64x2.mul(pair, pair);
    const square: f64 = f64x2.extract_lane(squares, 0) + f64x2.extract_lane(squares, 1);
    store<f64>(length, square);
    const inside: usize = <usize>(<i32>(square < 1) & <i32>(square != 0));
    point += inside * 16;
    length += inside * 8;
  }
  store<f64>(length, 0.5); // fills the second lane of an odd last pair
  return <i32>((length - stream - SQUARES) / 8);
}

// From four words two multiples of 2⁻⁵² in [−1, 1): 27 bits of the first and 26 of the second, then the same of the others.
@inline
function signedPair(words: v128): v128 {
  const high = i32x4.shr_u(words, 5), low = i32x4.shr_u(words, 6);
  const whole = f64x2.add(
    f64x2.mul(f64x2.convert_low_i32x4_s(i32x4.shuffle(high, high, 0, 2, 0, 2)), f64x2.splat(67108864)),
    f64x2.convert_low_i32x4_s(i32x4.shuffle(low, low, 1, 3, 1, 3)),
  );
  return f64x2.sub(f64x2.mul(whole, f64x2.splat(2.220446049250313e-16)), f64x2.splat(1));
}

function stretchPairs(stream: usize, pairs: i32): void {
  const minusTwo = f64x2.splat(-2);
  for (let k: i32 = 0; k < pairs; k += 2) {
    const square = v128.load(stream + SQUARES + <usize>k * 8);
    const stretch = f64x2.sqrt(f64x2.div(f64x2.mul(minusTwo, logOfTwo(square)), square));
    const at: usize = stream + NORMALS + <usize>k * 16;
    v128.store(at, f64x2.mul(v128.load(at, 0), i64x2.shuffle(stretch, stretch, 0, 0)), 0);
    if (k + 1 == pairs) return;
    v128.store(at, f64x2.mul(v128.load(at, 16), i64x2.shuffle(stretch, stretch, 1, 1)), 16);
  }
}

@inline
function term(coefficient: f64, w: v128, rest: v128): v128 {
  return f64x2.add(f64x2.splat(coefficient), f64x2.mul(w, rest));
}

// naturalLog of two positive normal doubles. Its branches differ in two operands only: kHigh − (h − (p + kLow) − f) is each
// of them, to the last bit, with h and p chosen by the fraction. An exponent of 0 needs no branch: adding 0 is exact.
@inline
function logOfTwo(value: v128): v128 {
  const high = i64x2.shr_u(value, 32);
  const fraction = v128.and(high, i64x2.splat(0xfffff));
  const carry = v128.and(i64x2.add(fraction, i64x2.splat(0x95f64)), i64x2.splat(0x100000));
  const mantissa = v128.or(
    v128.and(value, i64x2.splat(0x000fffffffffffff)),
    i64x2.shl(v128.xor(carry, i64x2.splat(0x3ff00000)), 32),
  );
  const f = f64x2.sub(mantissa, f64x2.splat(1));
  // A whole number k in the low bits of the double 1.5·2⁵² reads as 1.5·2⁵² + k.
  const exponent = i64x2.add(i64x2.sub(i64x2.shr_u(high, 20), i64x2.splat(1023)), i64x2.shr_u(carry, 20));
  const k = f64x2.sub(i64x2.add(exponent, i64x2.splat(0x4338000000000000)), f64x2.splat(6755399441055744));
  const kHigh = f64x2.mul(k, f64x2.splat(0.6931471803691238));
  const kLow = f64x2.mul(k, f64x2.splat(1.9082149292705877e-10));
  const s = f64x2.div(f, f64x2.add(f64x2.splat(2), f));
  const z = f64x2.mul(s, s);
  const w = f64x2.mul(z, z);
  const even = f64x2.mul(
    w, term(0.3999999999940942, w, term(0.22222198432149784, w, f64x2.splat(0.15313837699209373))),
  );
  const odd = f64x2.mul(
    z,
    term(0.6666666666666735, w,
      term(0.2857142874366239, w, term(0.1818357216161805, w, f64x2.splat(0.14798198605116586)))),
  );
  const rest = f64x2.add(odd, even);
  const half = f64x2.mul(f64x2.mul(f64x2.splat(0.5), f), f);
  const middle = v128.and(
    i64x2.ge_s(fraction, i64x2.splat(0x6147a)), i64x2.le_s(fraction, i64x2.splat(0x6b851)),
  );
  const near = i64x2.lt_s(
    v128.and(i64x2.add(fraction, i64x2.splat(2)), i64x2.splat(0xfffff)), i64x2.splat(3),
  );
  const cubic = f64x2.mul(
    f64x2.mul(f, f), f64x2.sub(f64x2.splat(0.5), f64x2.mul(f64x2.splat(0.3333333333333333), f)),
  );
  const h = v128.bitselect(cubic, v128.and(half, middle), near);
  const p = v128.andnot(
    f64x2.mul(s, f64x2.add(v128.bitselect(half, f64x2.neg(f), middle), rest)), near,
  );
  return f64x2.sub(kHigh, f64x2.sub(f64x2.sub(h, f64x2.add(p, kLow)), f));
}

/** Adds x·θ to the last of the d + 1 values of every row: noise becomes the response. */
export function respond(rows: usize, count: i32, d: i32, theta: usize): void {
  for (let r: i32 = 0; r < count; r++) {
    let sum: f64 = 0;
    for (let j: i32 = 0; j < d; j++) {
      sum += load<f64>(rows) * load<f64>(theta + <usize>j * 8);
      rows += 8;
    }
    store<f64>(rows, sum + load<f64>(rows));
    rows += 8;
  }
}

/**
 * θ = (G + λI)⁻¹h from the Gram of (x, y), row-major with rows `stride` bytes apart, upper triangle. The response is
 * factored along with the features, so its column becomes R⁻ᵀh. Returns −1, or the first pivot that is not positive.
 */
export function ridgeOfGram(gram: usize, stride: usize, d: i32, lambda: f64, theta: usize, scratch: usize): i32 {
  memory.copy(scratch, gram, <usize>(d + 1) * stride);
  for (let i: i32 = 0; i < d; i++) {
    const at: usize = scratch + <usize>i * (stride + 8);
    store<f64>(at, load<f64>(at) + lambda);
  }
  const failed: i32 = factorBlock(scratch, stride, d + 1);
  if (failed >= 0 && failed < d) return failed; // the last is the residual, which may be 0
  for (let i: i32 = d - 1; i >= 0; i--) {
    const row: usize = scratch + <usize>i * stride;
    const known: f64 = dot(row + <usize>(i + 1) * 8, theta + <usize>(i + 1) * 8, d - i - 1);
    store<f64>(theta + <usize>i * 8, (load<f64>(row + <usize>d * 8) - known) / load<f64>(row + <usize>i * 8));
  }
  return -1;
}
