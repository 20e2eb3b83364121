import type { MapFunction, MapWriter } from '../features/map-writer.ts';
import type { PublicUnit } from '../features/public-unit.ts';
import type { OnnxGraph, OnnxMatrix, Operator } from './onnx-graph.ts';
import { onnxImageWriter } from './onnx-images.ts';
import type { PlannedMap } from './prediction-plan.ts';

const operators: Readonly<Record<Exclude<MapFunction, 'relu' | 'step'>, Operator>> = {
  abs: 'Abs',
  cos: 'Cos',
  exp: 'Exp',
  sin: 'Sin',
  sqrt: 'Sqrt',
};

/** The arithmetic of a feature map as nodes of a graph; `columns` is the matrix of its inputs in the user's units. */
export function onnxMapWriter(
  graph: OnnxGraph,
  columns: string,
  inputs: PlannedMap['inputs'],
): MapWriter<OnnxMatrix> {
  const row = (values: readonly number[]) => graph.numbers(values, [values.length]);
  const zero = () => row([0]);
  const inUnits = (of: string, units: readonly PublicUnit[]): OnnxMatrix => {
    const centred = graph.apply('Sub', of, row(units.map(({ center }) => center)));
    const name = graph.apply('Div', centred, row(units.map(({ scale }) => scale)));
    return { name, width: units.length };
  };
  const both = (operator: Operator, left: OnnxMatrix, right: OnnxMatrix): OnnxMatrix => ({
    name: graph.apply(operator, left.name, right.name),
    width: left.width,
  });
  return {
    inputs: inUnits(
      columns,
      inputs.map(({ unit }) => unit),
    ),
    affine(of, matrix, constant) {
      const width = matrix.length / of.width;
      const weights = graph.numbers(Array.from(matrix), [of.width, width]);
      const product = graph.apply('MatMul', of.name, weights);
      if (constant === undefined) return { name: product, width };
      return { name: graph.apply('Add', product, row(Array.from(constant))), width };
    },
    call(wanted, { name: value, width }) {
      const positive = () => graph.apply('Greater', value, zero());
      if (wanted === 'relu')
        return { name: graph.apply('Where', positive(), value, zero()), width };
      if (wanted === 'step') return { name: graph.asNumbers(positive()), width };
      return { name: graph.apply(operators[wanted], value), width };
    },
    // onnxruntime fuses a product with one number into MatMul, and rounds it to single precision there.
    scale: ({ name: value, width }, factor) => ({
      name:
        width === 1
          ? graph.apply('MatMul', value, graph.numbers([factor], [1, 1]))
          : graph.apply('Mul', value, row(new Array(width).fill(factor))),
      width,
    }),
    standardise: ({ name }, units) => inUnits(name, units),
    add: (left, right) => both('Add', left, right),
    multiply: (left, right) => both('Mul', left, right),
    beside: (parts) => ({
      name: graph.beside(parts.map((part) => part.name)),
      width: parts.reduce((sum, { width }) => sum + width, 0),
    }),
    images: () => onnxImageWriter(graph),
  };
}
