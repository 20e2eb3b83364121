import { Chacha20Poly1305 } from '@hpke/chacha20poly1305';
import { CipherSuite, DhkemX25519HkdfSha256, HkdfSha256 } from '@hpke/core';
import { XWing } from '@hpke/hybridkem-x-wing';
import { hexToBytes, randomBytes, utf8ToBytes } from '@noble/hashes/utils.js';
import { describe, expect, it } from 'vitest';
import { kemNames, loadKem } from '../src/cipher/kems.ts';
import {
  keyStream,
  keyStreamParts,
  portableStream,
  useKeyStream,
} from '../src/cipher/key-stream.ts';
import { openSeal, sealedBytes, sealTo } from '../src/cipher/sealed-box.ts';
import { useNativeCrypto } from '../src/node/compute/native-crypto.ts';

const others = { x25519: () => new DhkemX25519HkdfSha256(), 'x-wing': () => new XWing() };
const bound = { purpose: 'a test', context: utf8ToBytes('study, site') };

describe.each(kemNames)('a seal by %s', (name) => {
  const suite = new CipherSuite({
    kem: others[name](),
    kdf: new HkdfSha256(),
    aead: new Chacha20Poly1305(),
  });
  const seed = new Uint8Array(32).fill(7);
  const text = randomBytes(32);

  it('is opened by another implementation of HPKE, and opens what that one seals', async () => {
    const kem = await loadKem(name);
    const keys = kem.keys(seed);
    const recipientKey = await suite.kem.importKey('raw', seed.slice().buffer, false);
    const recipientPublicKey = await suite.kem.importKey(
      'raw',
      keys.publicKey.slice().buffer,
      true,
    );
    const sealed = sealTo(kem, keys.publicKey, text, bound);
    expect(sealed).toHaveLength(sealedBytes(kem, 32));
    const info = utf8ToBytes(bound.purpose);
    const enc = sealed.slice(0, kem.messageBytes);
    const theirs = await suite.createRecipientContext({ recipientKey, enc, info });
    const opened = await theirs.open(sealed.slice(kem.messageBytes), bound.context);
    expect(new Uint8Array(opened)).toEqual(text);
    const sender = await suite.createSenderContext({ recipientPublicKey, info });
    const body = new Uint8Array(await sender.seal(text, bound.context));
    const other = Uint8Array.of(...new Uint8Array(sender.enc), ...body);
    expect(openSeal(kem, keys, other, bound)).toEqual(text);
  });

  it('stays closed to another key, purpose or context, and when a bit differs', async () => {
    const kem = await loadKem(name);
    const keys = kem.keys(seed);
    const sealed = sealTo(kem, keys.publicKey, text, bound);
    const changed = (at: number) => sealed.map((byte, k) => (k === at ? byte ^ 1 : byte));
    expect([
      openSeal(kem, keys, sealed, bound),
      openSeal(kem, kem.keys(new Uint8Array(32).fill(8)), sealed, bound),
      openSeal(kem, keys, sealed, { ...bound, purpose: 'another' }),
      openSeal(kem, keys, sealed, { ...bound, context: utf8ToBytes('study, other site') }),
      openSeal(kem, keys, changed(3), bound),
      openSeal(kem, keys, changed(sealed.length - 1), bound),
      openSeal(kem, keys, sealed.slice(0, 40), bound),
      openSeal(kem, keys, new Uint8Array(sealed.length), bound),
    ]).toEqual([text, ...Array(7).fill(undefined)]);
    expect(sealTo(kem, keys.publicKey, text, bound)).not.toEqual(sealed);
  });
});

describe('the key stream', () => {
  // RFC 8439 §A.1, test vector 1: key, nonce and counter are zero.
  const first =
    '76b8e0ada0f13d90405d6ae55386bd28bdd219b8a08ded1aa836efcc8b770dc7da41597c5157488d7724e03fb8d84a376a43b8f41518a11cc387b669b2ee6586';

  it('is that of RFC 8439, by noble and by OpenSSL', () => {
    const bytes = hexToBytes(first);
    const words = new Uint32Array(bytes.slice().buffer);
    const key = new Uint8Array(32);
    const long = randomBytes(32);
    useKeyStream(portableStream);
    const portable = [keyStream(key, 16), keyStream(long, 1001)];
    useNativeCrypto();
    const native = [keyStream(key, 16), keyStream(long, 1001)];
    const parts = keyStreamParts(long);
    expect([...parts(16), ...parts(32), ...parts(953)]).toEqual([...native[1]]);
    useKeyStream(portableStream);
    const ported = keyStreamParts(long);
    expect([...ported(16), ...ported(32), ...ported(953)]).toEqual([...native[1]]);
    expect(portable[0]).toEqual(words);
    expect(native).toEqual(portable);
  });
});
