import type { ImageWriter, WrittenImages } from '../features/image-writer.ts';
import type { OnnxGraph, OnnxMatrix, Operator } from './onnx-graph.ts';

/** Operations on images as nodes of a graph, in single precision: runtimes have no convolution of doubles. */
export function onnxImageWriter(graph: OnnxGraph): ImageWriter<OnnxMatrix> {
  const number = (value: number) => graph.floats(Float32Array.of(value), []);
  const sameForm =
    (operator: Operator) =>
    (left: WrittenImages, right: WrittenImages): WrittenImages => ({
      ...left,
      name: graph.apply(operator, left.name, right.name),
    });
  const means = (name: string, axes: readonly number[]) =>
    graph.apply('ReduceMean', name, graph.integers(axes));
  return {
    read({ name }, { height, width, channels }, units) {
      const pixels = graph.reshape(name, [height, width, channels]);
      const row = (values: readonly number[]) => graph.numbers(values, [channels]);
      const centred = graph.apply('Sub', pixels, row(units.map(({ center }) => center)));
      const scaled = graph.apply('Div', centred, row(units.map(({ scale }) => scale)));
      const placed = graph.applyWith({ perm: [0, 3, 1, 2] }, 'Transpose', graph.asFloats(scaled));
      return { name: placed, channels, height, width };
    },
    convolve({ name, channels, height, width }, filters) {
      const { size, weights, biases, stride = 1, padding = [0, 0], groups = 1 } = filters;
      const [before, behind] = padding;
      const depth = channels / groups;
      const made = weights.length / (depth * size * size);
      const tensor = graph.floats(weights, [made, depth, size, size]);
      const after = (length: number) => Math.floor((length + before + behind - size) / stride) + 1;
      return {
        name: graph.applyWith(
          {
            group: groups,
            kernel_shape: [size, size],
            pads: [before, before, behind, behind],
            strides: [stride, stride],
          },
          'Conv',
          ...[name, tensor, ...(biases === undefined ? [] : [graph.floats(biases, [made])])],
        ),
        channels: made,
        height: after(height),
        width: after(width),
      };
    },
    maxPool: ({ name, channels, height, width }, size) => ({
      name: graph.applyWith({ kernel_shape: [size, size], strides: [size, size] }, 'MaxPool', name),
      channels,
      height: Math.floor(height / size),
      width: Math.floor(width / size),
    }),
    resample({ name, channels, height, width }, rows, columns) {
      const [tall, wide] = [rows.length / height, columns.length / width];
      const turned = columns.map((_, k) => columns[(k % wide) * width + Math.floor(k / wide)]);
      const across = graph.apply('MatMul', name, graph.floats(turned, [width, wide]));
      return {
        name: graph.apply('MatMul', graph.floats(rows, [tall, height]), across),
        channels,
        height: tall,
        width: wide,
      };
    },
    clip: (of, low, high) => ({
      ...of,
      name: graph.apply(
        'Clip',
        ...[of.name, number(low), ...(high === undefined ? [] : [number(high)])],
      ),
    }),
    abs: (of) => ({ ...of, name: graph.apply('Abs', of.name) }),
    shift: (of, by) => ({ ...of, name: graph.apply('Add', of.name, number(by)) }),
    scale: (of, factor) => ({ ...of, name: graph.apply('Mul', of.name, number(factor)) }),
    add: sameForm('Add'),
    multiply: sameForm('Mul'),
    divide: sameForm('Div'),
    channelMeans: ({ name, channels }) => ({
      ...{ name: means(name, [2, 3]), channels, height: 1, width: 1 },
    }),
    mean: ({ name }) => ({ name: means(name, [1, 2, 3]), channels: 1, height: 1, width: 1 }),
    beside: (parts) => ({
      ...parts[0],
      name: graph.beside(parts.map(({ name }) => name)),
      channels: parts.reduce((sum, { channels }) => sum + channels, 0),
    }),
    columns({ name, channels, height, width }) {
      const values = channels * height * width;
      return { name: graph.asNumbers(graph.reshape(name, [values])), width: values };
    },
  };
}
