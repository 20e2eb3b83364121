import { message, type ProtobufMessage } from './protobuf.ts';

/** Element types of ONNX tensors (onnx.proto3, TensorProto.DataType). */
const DOUBLE = 11;
const STRING = 8;

/** Equal compares texts since operator set 19, which belongs to IR version 9. */
const IR_VERSION = 9;
const OPERATOR_SET = 19;

export type ElementType = 'number' | 'text';

/** A graph under construction; values have names, and every number is a double. */
export interface OnnxGraph {
  /** An input tensor [N, width]. */
  input(name: string, type: ElementType, width: number): string;
  /** An output tensor [N, width]: `value` under a public name. */
  output(name: string, value: string, width: number): void;
  /** A tensor of numbers, row-major. */
  numbers(values: readonly number[], shape: readonly number[]): string;
  /** A text to compare with. */
  text(value: string): string;
  /** An operator applied to values. */
  apply(operator: Operator, ...values: readonly string[]): string;
  /** Truth values as 1 and 0. */
  asNumbers(value: string): string;
  /** Shares of exp(value) in each row. */
  softmax(value: string): string;
  /** Columns beside each other. */
  beside(values: readonly string[]): string;
  /** The file, with its metadata. */
  finish(metadata: Readonly<Record<string, string>>): Uint8Array;
}

export type Operator =
  | 'Abs'
  | 'Add'
  | 'Cos'
  | 'Div'
  | 'Equal'
  | 'Exp'
  | 'Greater'
  | 'GreaterOrEqual'
  | 'IsNaN'
  | 'Less'
  | 'LessOrEqual'
  | 'Log'
  | 'MatMul'
  | 'Mul'
  | 'Neg'
  | 'Or'
  | 'Pow'
  | 'Sin'
  | 'Sqrt'
  | 'Sub'
  | 'Where';

/** An empty graph; field numbers are those of onnx.proto3. */
export function onnxGraph(): OnnxGraph {
  const graph = message();
  const inputs: ProtobufMessage[] = [];
  const outputs: ProtobufMessage[] = [];
  const constants = new Map<string, string>();
  /** Nodes by operator and inputs, so that nothing is computed twice. */
  const nodes = new Map<string, string>();
  let made = 0;
  const fresh = () => `suffice:${made++}`;

  function node(
    operator: string,
    values: readonly string[],
    attributes: readonly ProtobufMessage[],
  ) {
    const key = JSON.stringify([operator, ...values]);
    const known = nodes.get(key);
    if (known !== undefined) return known;
    const name = fresh();
    addNode(operator, values, name, attributes);
    nodes.set(key, name);
    return name;
  }

  function addNode(
    operator: string,
    values: readonly string[],
    name: string,
    attributes: readonly ProtobufMessage[],
  ): void {
    const proto = message();
    for (const value of values) proto.text(1, value);
    proto.text(2, name).text(3, `${operator} ${name}`).text(4, operator);
    for (const attribute of attributes) proto.message(5, attribute);
    graph.message(1, proto);
  }

  function constant(key: string, tensor: () => ProtobufMessage): string {
    const known = constants.get(key);
    if (known !== undefined) return known;
    const name = fresh();
    graph.message(5, tensor().text(8, name));
    constants.set(key, name);
    return name;
  }

  return {
    input(name, type, width) {
      inputs.push(valueInfo(name, type === 'number' ? DOUBLE : STRING, width));
      return name;
    },
    output(name, value, width) {
      addNode('Identity', [value], name, []);
      outputs.push(valueInfo(name, DOUBLE, width));
    },
    numbers: (values, shape) =>
      constant(`${shape.join('x')} ${values.map(exactly).join()}`, () =>
        tensorOf(shape, DOUBLE).bytes(9, littleEndian(values)),
      ),
    text: (value) => constant(`text ${value}`, () => tensorOf([1], STRING).text(6, value)),
    apply: (operator, ...values) => node(operator, values, []),
    asNumbers: (value) => node('Cast', [value], [integerAttribute('to', DOUBLE)]),
    softmax: (value) => node('Softmax', [value], [integerAttribute('axis', 1)]),
    beside: (values) => node('Concat', values, [integerAttribute('axis', 1)]),
    finish(metadata) {
      graph.text(2, 'suffice');
      for (const input of inputs) graph.message(11, input);
      for (const output of outputs) graph.message(12, output);
      const model = message()
        .integer(1, IR_VERSION)
        .text(2, 'suffice')
        .message(7, graph)
        .message(8, message().text(1, '').integer(2, OPERATOR_SET));
      for (const [key, value] of Object.entries(metadata)) {
        model.message(14, message().text(1, key).text(2, value));
      }
      return model.finish();
    },
  };
}

function exactly(value: number): string {
  return Object.is(value, -0) ? '-0' : String(value);
}

function integerAttribute(name: string, value: number): ProtobufMessage {
  const INT = 2;
  return message().text(1, name).integer(3, value).integer(20, INT);
}

function tensorOf(shape: readonly number[], type: number): ProtobufMessage {
  const tensor = message();
  for (const size of shape) tensor.integer(1, size);
  return tensor.integer(2, type);
}

function valueInfo(name: string, type: number, width: number): ProtobufMessage {
  const shape = message()
    .message(1, message().text(2, 'N'))
    .message(1, message().integer(1, width));
  const tensor = message().integer(1, type).message(2, shape);
  return message().text(1, name).message(2, message().message(1, tensor));
}

function littleEndian(values: readonly number[]): Uint8Array {
  const bytes = new Uint8Array(8 * values.length);
  const view = new DataView(bytes.buffer);
  values.forEach((value, k) => {
    view.setFloat64(8 * k, value, true);
  });
  return bytes;
}
