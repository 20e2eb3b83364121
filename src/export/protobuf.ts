/** A message of the Protocol Buffers wire format under construction, field by field. */
export interface ProtobufMessage {
  readonly integer: (field: number, value: number) => ProtobufMessage;
  readonly text: (field: number, value: string) => ProtobufMessage;
  readonly bytes: (field: number, value: Uint8Array) => ProtobufMessage;
  readonly message: (field: number, value: ProtobufMessage) => ProtobufMessage;
  readonly finish: () => Uint8Array;
}

const VARINT = 0;
const LENGTH_DELIMITED = 2;

/** An empty message (protobuf.dev, Encoding): only the two wire types that ONNX files need here. */
export function message(): ProtobufMessage {
  const chunks: Uint8Array[] = [];
  const made: ProtobufMessage = {
    integer(field, value) {
      chunks.push(varint(field * 8 + VARINT), varint(value));
      return made;
    },
    bytes(field, value) {
      chunks.push(varint(field * 8 + LENGTH_DELIMITED), varint(value.length), value);
      return made;
    },
    text: (field, value) => made.bytes(field, new TextEncoder().encode(value)),
    message: (field, value) => made.bytes(field, value.finish()),
    finish: () => joined(chunks),
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

function joined(chunks: readonly Uint8Array[]): Uint8Array {
  const all = new Uint8Array(chunks.reduce((sum, chunk) => sum + chunk.length, 0));
  let at = 0;
  for (const chunk of chunks) {
    all.set(chunk, at);
    at += chunk.length;
  }
  return all;
}
