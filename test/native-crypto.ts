import { useNativeCrypto } from '../src/node/compute/native-crypto.ts';

/**
 * Before each test file: OpenSSL for hashes, signatures and shared secrets, as every command, site and server on Node has it.
 * The portable code, which browsers have, takes ten times longer; native-crypto.test.ts compares the two, and pages run it.
 */
useNativeCrypto();
