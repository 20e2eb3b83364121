import { describe, expect, it } from 'vitest';
import { createSigningKey, isSealed, sealDocument } from '../src/protocol/signature.ts';
import {
  contributionText,
  isSignedContribution,
  signContribution,
  slipOf,
} from '../src/protocol/signed-contribution.ts';
import { decodeContribution, encodeContribution } from '../src/statistic/envelope.ts';
import { cases, inputOf, siteName } from './foreign-rows.ts';
import { python, runPython } from './other-languages.ts';

describe.skipIf(python === undefined)('the signatures of examples/clients', () => {
  // RFC 8032 §7.1, tests 1, 2, 3 and SHA(abc): secret, public key, message, signature.
  const vectors = [
    [
      '9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60',
      'd75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a',
      '',
      'e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b',
    ],
    [
      '4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb',
      '3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c',
      '72',
      '92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00',
    ],
    [
      'c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7',
      'fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025',
      'af82',
      '6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a',
    ],
    [
      '833fe62409237b9d62ec77587520911e9a759cec1d19755b7da901b96dca3d42',
      'ec172b93ad5e563bf4932c70e1245034c35467ef2efd4d64ebf819683467e2bf',
      'ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f',
      'dc2a4459e7369633a52b1bf277839a00201009a3efbf3ecb69bea2186c26b58909351fc9ac90b3ecfdfbc7c66431e0303dca179c138ac17ad9bef1177331a704',
    ],
  ];

  it('signs and verifies as RFC 8032 §7.1 does', () => {
    const driver = `
import json, sys, ed25519
out = []
for secret, key, message, signature in json.load(sys.stdin):
    secret, key, message, signature = map(bytes.fromhex, (secret, key, message, signature))
    broken = bytes([signature[0] ^ 1]) + signature[1:]
    out.append([ed25519.public_key(secret).hex(), ed25519.sign(message, secret).hex(),
                ed25519.is_signed(message, signature, key), ed25519.is_signed(message + b"x", signature, key),
                ed25519.is_signed(message, broken, key), ed25519.is_signed(message, signature, b"\\2" * 32)])
print(json.dumps(out))
`;
    expect(runPython(driver, vectors)).toEqual(
      vectors.map(([, key, , signature]) => [key, signature, true, false, false, false]),
    );
  });

  it('agrees with us on who signed what, in both directions', () => {
    const key = createSigningKey();
    const tried = cases([44], 5);
    const receipt = sealDocument(
      {
        schema: 'suffice/receipt@1',
        study: tried[0].agreed.digest,
        site: siteName,
        sequence: 1,
        mode: 'add',
        digest: tried[0].agreed.digest,
        bytes: 1234,
        receivedAt: '2026-01-01T00:00:00.000Z',
        late: false,
        audit: { position: 7, digest: tried[0].agreed.digest },
      },
      key,
    );
    expect(isSealed(receipt)).toBe(true);
    const driver = `
import base64, hashlib, json, sys, ed25519
from writer import envelope, statistic
given = json.load(sys.stdin)
bytes64 = lambda text: base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
text64 = lambda data: base64.urlsafe_b64encode(data).decode().rstrip("=")
digest = lambda data: "sha256:" + hashlib.sha256(data).hexdigest()
seal = given["receipt"].pop("seal")
text = json.dumps(given["receipt"], sort_keys=True, separators=(",", ":"), ensure_ascii=False)
fits = ed25519.is_signed(text.encode(), bytes64(seal["signature"]), bytes64(seal["key"]))
secret, files = bytes64(given["secret"]), []
for t in given["tables"]:
    data = statistic([[float(v) for v in z] for z in t["z"]], t["layout"])
    lines = ["suffice/contribution@1", t["study"], given["site"], "1", "add", str(t["dropped"]), digest(data)]
    one = {"key": text64(ed25519.public_key(secret)), "signature": text64(ed25519.sign("\\n".join(lines).encode(), secret))}
    files.append(envelope(data, t["layout"], t["study"], given["site"], t["dropped"], seal=one).hex())
print(json.dumps({"fits": fits, "files": files}))
`;
    const tables = tried.map(inputOf);
    const answer = runPython(driver, { receipt, tables, secret: key.secret, site: siteName });
    const { fits, files } = answer as { fits: boolean; files: string[] };
    expect(fits).toBe(true);
    tried.forEach(({ agreed, ours }, k) => {
      const decoded = decodeContribution(
        Buffer.from(files[k], 'hex'),
        agreed.digest,
        agreed.layout,
      );
      if ('refused' in decoded) throw new Error(decoded.refused);
      expect(isSignedContribution(decoded.contribution)).toBe(true);
      expect(contributionText(slipOf(decoded.contribution)).split('\n')).toHaveLength(7);
      const own = decodeContribution(ours, agreed.digest, agreed.layout);
      if ('refused' in own) throw new Error(own.refused);
      // Ed25519 is deterministic: the same key and rows give the same file in both languages.
      const signed = encodeContribution(signContribution(own.contribution, key));
      expect(files[k]).toBe(Buffer.from(signed).toString('hex'));
    });
  });
});
