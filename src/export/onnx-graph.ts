import { message, type ProtobufMessage } from './protobuf.ts';

/** Element types of ONNX tensors (onnx.proto3, TensorProto.DataType). */
const FLOAT = 1;
const INT64 = 7;
const STRING = 8;
const DOUBLE = 11;

/** Equal compares texts since operator set 19, which belongs to IR version 9. */
const IR_VERSION = 9;
const OPERATOR_SET = 19;

export type ElementType = 'number' | 'text';

/** A graph under construction; values have names, and numbers are doubles unless they are said to be floats. */
export interface OnnxGraph {
  /** An input tensor [N, …sizes]. */
  input(name: string, type: ElementType, ...sizes: readonly number[]): string;
  /** An output tensor [N, width]: `value` under a public name. */
  output(name: string, value: string, width: number): void;
  /** A tensor of numbers, row-major. */
  numbers(values: readonly number[], shape: readonly number[]): string;
  /** A tensor in single precision, row-major. */
  floats(values: Float32Array, shape: readonly number[]): string;
  /** A list of whole numbers from 0, as some operators take. */
  integers(values: readonly number[]): string;
  /** A text to compare with. */
  text(value: string): string;
  /** An operator applied to values. */
  apply(operator: Operator, ...values: readonly string[]): string;
  /** An operator with settings of its own. */
  applyWith(settings: Settings, operator: SetOperator, ...values: readonly string[]): string;
  /** The same values in every row, as a tensor [N, …sizes]. */
  reshape(value: string, sizes: readonly number[]): string;
  /** Floats as doubles, and truth values as 1 and 0. */
  asNumbers(value: string): string;
  /** Rounded to single precision. */
  asFloats(value: string): string;
  /** Shares of exp(value) in each row. */
  softmax(value: string): string;
  /** Columns beside each other. */
  beside(values: readonly string[]): string;
  /** The file, with its metadata. */
  finish(metadata: Readonly<Record<string, string>>): Uint8Array;
}

/** A matrix in a graph. */
export interface OnnxMatrix {
  readonly name: string;
  readonly width: number;
}

/** Settings of an operator: whole numbers from 0, or lists of them. */
export type Settings = Readonly<Record<string, number | readonly number[]>>;

export type SetOperator = 'Conv' | 'MaxPool' | 'Transpose';

export type Operator =
  | 'Abs'
  | 'Add'
  | 'Ceil'
  | 'Clip'
  | 'Cos'
  | 'Div'
  | 'Equal'
  | 'Exp'
  | 'Floor'
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
  | 'ReduceMean'
  | 'Round'
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
  /** Nodes by operator, inputs and settings, so that nothing is computed twice. */
  const nodes = new Map<string, string>();
  let made = 0;
  const fresh = () => `suffice:${made++}`;

  function node(operator: string, values: readonly string[], settings: Settings = {}) {
    const key = JSON.stringify([operator, values, settings]);
    const known = nodes.get(key);
    if (known !== undefined) return known;
    const name = fresh();
    addNode(operator, values, name, settings);
    nodes.set(key, name);
    return name;
  }

  function addNode(
    operator: string,
    values: readonly string[],
    name: string,
    settings: Settings = {},
  ): void {
    const proto = message();
    for (const value of values) proto.text(1, value);
    proto.text(2, name).text(3, `${operator} ${name}`).text(4, operator);
    for (const [key, value] of Object.entries(settings)) proto.message(5, attribute(key, value));
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

  const integers = (values: readonly number[]) =>
    constant(`integers ${values.join()}`, () =>
      tensorOf([values.length], INT64).bytes(
        9,
        littleEndian(values, 8, (view, at, value) => view.setBigInt64(at, BigInt(value), true)),
      ),
    );

  return {
    input(name, type, ...sizes) {
      inputs.push(valueInfo(name, type === 'number' ? DOUBLE : STRING, sizes));
      return name;
    },
    output(name, value, width) {
      addNode('Identity', [value], name);
      outputs.push(valueInfo(name, DOUBLE, [width]));
    },
    numbers: (values, shape) =>
      constant(`${shape.join('x')} ${values.map(exactly).join()}`, () =>
        tensorOf(shape, DOUBLE).bytes(
          9,
          littleEndian(values, 8, (view, at, value) => view.setFloat64(at, value, true)),
        ),
      ),
    floats(values, shape) {
      const name = fresh();
      const bytes = littleEndian(values, 4, (view, at, value) => view.setFloat32(at, value, true));
      graph.message(5, tensorOf(shape, FLOAT).bytes(9, bytes).text(8, name));
      return name;
    },
    integers,
    text: (value) => constant(`text ${value}`, () => tensorOf([1], STRING).text(6, value)),
    apply: (operator, ...values) => node(operator, values),
    applyWith: (settings, operator, ...values) => node(operator, values, settings),
    // A size of 0 is that of the value itself.
    reshape: (value, sizes) => node('Reshape', [value, integers([0, ...sizes])]),
    asNumbers: (value) => node('Cast', [value], { to: DOUBLE }),
    asFloats: (value) => node('Cast', [value], { to: FLOAT }),
    softmax: (value) => node('Softmax', [value], { axis: 1 }),
    beside: (values) => node('Concat', values, { axis: 1 }),
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

function attribute(name: string, value: number | readonly number[]): ProtobufMessage {
  const [INT, INTS] = [2, 7];
  const made = message().text(1, name);
  if (typeof value === 'number') return made.integer(3, value).integer(20, INT);
  for (const one of value) made.integer(8, one);
  return made.integer(20, INTS);
}

function tensorOf(shape: readonly number[], type: number): ProtobufMessage {
  const tensor = message();
  for (const size of shape) tensor.integer(1, size);
  return tensor.integer(2, type);
}

function valueInfo(name: string, type: number, sizes: readonly number[]): ProtobufMessage {
  const shape = message().message(1, message().text(2, 'N'));
  for (const size of sizes) shape.message(1, message().integer(1, size));
  const tensor = message().integer(1, type).message(2, shape);
  return message().text(1, name).message(2, message().message(1, tensor));
}

function littleEndian(
  values: ArrayLike<number>,
  each: number,
  put: (view: DataView, at: number, value: number) => void,
): Uint8Array {
  const bytes = new Uint8Array(each * values.length);
  const view = new DataView(bytes.buffer);
  for (let k = 0; k < values.length; k++) put(view, each * k, values[k]);
  return bytes;
}
