import { loadWeights, outputsOfPass, putOutputGradient } from './engine.ts';
import { epochOrder } from './epoch-order.ts';
import type { Examples } from './examples.ts';
import { fillInputs } from './fill-inputs.ts';
import { forwardPass } from './forward-pass.ts';
import { createGradientSum } from './gradient-sum.ts';
import { softmax } from './loss.ts';
import { type NetworkPlan, valueCount } from './network-plan.ts';
import { createOptimiser } from './optimiser.ts';
import { fullTraining } from './training.ts';
import { unpack } from './weight-layout.ts';
import { createWorkspace } from './workspace.ts';

/** Inputs, and the outputs that a student should have for them: a row for each. */
export interface Lesson {
  readonly inputs: Float32Array;
  readonly outputs: Float32Array;
}

/** A network that learns the outputs of others. */
export interface Student {
  weights(): Float32Array;
  /** One pass over the rows of all lessons, in an order that follows from the seed and the number of the pass. */
  learn(lessons: readonly Lesson[], seed: number, pass: number): void;
}

/**
 * A student that starts from these weights: gradient descent with momentum on T² KL(softmax(lesson/T) ‖ softmax(own/T)), `batch`
 * rows a step (Hinton, Vinyals & Dean 2015).
 */
export function createStudent(
  plan: NetworkPlan,
  start: Float32Array,
  batch: number,
  temperature: number,
): Student {
  const workspace = createWorkspace(plan, batch);
  const { kernels, layouts, length } = workspace;
  const optimiser = createOptimiser(workspace, fullTraining());
  const sum = createGradientSum(workspace);
  loadWeights(workspace, start);
  const width = plan.outputs;
  const values = valueCount(plan.input);
  const [own, wanted] = [new Float64Array(width), new Float64Array(width)];
  const warm = new Float32Array(2 * width);
  const slopes = new Float32Array(batch * width);
  let steps = 0;
  return {
    weights: () =>
      unpack(layouts, kernels.f32(workspace.weights, length), new Float32Array(plan.weights)),
    learn(lessons, seed, pass) {
      const perLesson = lessons[0].inputs.length / values;
      const lessonOf = (row: number) => lessons[Math.floor(row / perLesson)];
      const fill: Examples['fill'] = (target, at, row) => {
        const from = (row % perLesson) * values;
        target.set(lessonOf(row).inputs.subarray(from, from + values), at);
      };
      const order = epochOrder(lessons.length * perLesson, seed, pass);
      for (let first = 0; first < order.length; first += batch) {
        const rows = order.subarray(first, first + batch);
        fillInputs(workspace, { fill }, rows);
        forwardPass(workspace, rows.length);
        const outputs = outputsOfPass(workspace, rows.length);
        rows.forEach((row, k) => {
          const from = (row % perLesson) * width;
          const lesson = lessonOf(row).outputs;
          for (let c = 0; c < width; c++) {
            warm[c] = outputs[k * width + c] / temperature;
            warm[width + c] = lesson[from + c] / temperature;
          }
          softmax(warm, 0, own);
          softmax(warm, width, wanted);
          for (let c = 0; c < width; c++) {
            slopes[k * width + c] = (temperature * (own[c] - wanted[c])) / rows.length;
          }
        });
        putOutputGradient(workspace, rows.length, slopes);
        optimiser.step(sum.run(rows.length), ++steps);
      }
    },
  };
}
