const table = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let k = 0; k < 8; k++) value = (value & 1) === 1 ? 0xedb88320 ^ (value >>> 1) : value >>> 1;
  return value;
});

/** The checksum of a chunk of a PNG file (PNG specification, Annex D). */
export function crc32(bytes: Uint8Array): number {
  let value = 0xffffffff;
  for (let k = 0; k < bytes.length; k++) value = table[(value ^ bytes[k]) & 255] ^ (value >>> 8);
  return (value ^ 0xffffffff) >>> 0;
}
