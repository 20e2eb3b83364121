/** A message of the Protocol Buffers wire format under construction, field by field. */
export interface Message {
  readonly integer: (field: number, value: number) => Message;
  readonly text: (field: number, value: string) => Message;
  readonly bytes: (field: number, value: Uint8Array) => Message;
  readonly message: (field: number, value: Message) => Message;
  readonly finish: () => Uint8Array;
}

const VARINT = 0;
const LENGTH_DELIMITED = 2;

/** An empty message (protobuf.dev, Encoding): only the two wire types that ONNX files need here. */
export function message(): Message {
  const parts: Uint8Array[] = [];
  const made: Message = {
    integer(field, value) {
      parts.push(varint(field * 8 + VARINT), varint(value));
      return made;
    },
    bytes(field, value) {
      parts.push(varint(field * 8 + LENGTH_DELIMITED), varint(value.length), value);
      return made;
    },
    text: (field, value) => made.bytes(field, new TextEncoder().encode(value)),
    message: (field, value) => made.bytes(field, value.finish()),
    finish: () => joined(parts),
  };
  return made;
}

/** Seven bits a byte, the lowest first; whole numbers from 0 to 2⁵³. */
function varint(value: number): Uint8Array {
  if (!Number.isSafeInteger(value) || value < 0) {
    throw new RangeError(`not a whole number from 0: ${value}`);
  }
  const bytes: number[] = [];
  let rest = value;
  while (rest >= 128) {
    bytes.push((rest % 128) + 128);
    rest = Math.floor(rest / 128);
  }
  return Uint8Array.from([...bytes, rest]);
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  const all = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}
