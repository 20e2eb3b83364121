import { outputsOfPass } from './engine.ts';
import { forwardPass } from './forward-pass.ts';
import { inputGradient } from './input-gradient.ts';
import { softmax } from './loss.ts';
import { type NetworkPlan, valueCount } from './network-plan.ts';
import { likeliestClass } from './outputs.ts';
import { allRows, type SiteWeights } from './site-weights.ts';
import { pack } from './weight-layout.ts';
import { createWorkspace } from './workspace.ts';

/** What the networks of all sites say of a batch, and how the batch should change. */
export interface EnsembleSlope {
  /** Mean loss of the batch. */
  readonly loss: number;
  /** The outputs of the sites' networks, averaged by rows. */
  readonly outputs: Float32Array;
  /** The gradient of the mean loss by the inputs. */
  readonly gradient: Float32Array;
}

/** The networks of the sites together, beside a student. */
export interface Ensemble {
  /** Takes the weights of the student. */
  face(student: Float32Array): void;
  /**
   * The loss of inputs that should be of these classes: cross-entropy of the averaged outputs; less λ times the divergence of the
   * student from them, where both name different classes (DENSE, equations 3 and 6).
   */
  slope(inputs: Float32Array, classes: Uint16Array): EnsembleSlope;
}

/** λ of the divergence (FedFisher, Appendix D.3). */
const ADVERSARIAL = 0.5;

/** The networks of some sites, for batches of `batch` inputs. */
export function createEnsemble(
  plan: NetworkPlan,
  sites: readonly SiteWeights[],
  batch: number,
): Ensemble {
  const workspace = createWorkspace(plan, batch, 1, 'inputs');
  const { kernels, layouts, length } = workspace;
  const packed = (weights: ArrayLike<number>) => {
    const made = new Float32Array(length);
    pack(layouts, weights, made);
    return made;
  };
  const rows = allRows(sites);
  const teachers = sites.map((site) => ({
    share: site.rows / rows,
    weights: packed(site.weights),
  }));
  let student = new Float32Array(length);
  const run = (weights: Float32Array) => {
    kernels.f32(workspace.weights, length).set(weights);
    forwardPass(workspace, batch);
  };
  const values = batch * valueCount(plan.input);
  return {
    face(weights) {
      student = packed(weights);
    },
    slope(inputs, classes) {
      kernels.f32(workspace.given, values).set(inputs);
      const outputs = new Float32Array(batch * plan.outputs);
      for (const { share, weights } of teachers) {
        run(weights);
        addShare(outputs, share, outputsOfPass(workspace, batch));
      }
      run(student);
      const own = outputsOfPass(workspace, batch);
      const { loss, slopes, studentSlopes } = lossOfBatch(outputs, own, classes, plan.outputs);
      const gradient = inputGradient(workspace, batch, studentSlopes);
      const slopeOfSite = new Float32Array(slopes.length);
      for (const { share, weights } of teachers) {
        run(weights);
        for (let k = 0; k < slopes.length; k++) slopeOfSite[k] = share * slopes[k];
        addShare(gradient, 1, inputGradient(workspace, batch, slopeOfSite));
      }
      return { loss, outputs, gradient };
    },
  };
}

function addShare(target: Float32Array, share: number, values: Float32Array): void {
  for (let k = 0; k < target.length; k++) target[k] += share * values[k];
}

/** The mean loss, and its gradients by the averaged outputs and by those of the student. */
function lossOfBatch(
  outputs: Float32Array,
  student: Float32Array,
  classes: Uint16Array,
  width: number,
) {
  const slopes = new Float32Array(outputs.length);
  const studentSlopes = new Float32Array(outputs.length);
  const [shares, studentShares] = [new Float64Array(width), new Float64Array(width)];
  const factor = 1 / classes.length;
  let loss = 0;
  classes.forEach((wanted, row) => {
    const at = row * width;
    const level = softmax(outputs, at, shares);
    loss += factor * (level - outputs[at + wanted]);
    for (let k = 0; k < width; k++) {
      slopes[at + k] = factor * (shares[k] - (k === wanted ? 1 : 0));
    }
    if (likeliestClass(outputs, at, width) === likeliestClass(student, at, width)) return;
    const studentLevel = softmax(student, at, studentShares);
    const gap = (k: number) => outputs[at + k] - level - (student[at + k] - studentLevel);
    let divergence = 0;
    for (let k = 0; k < width; k++) divergence += shares[k] * gap(k);
    loss -= ADVERSARIAL * factor * divergence;
    for (let k = 0; k < width; k++) {
      slopes[at + k] -= ADVERSARIAL * factor * shares[k] * (gap(k) - divergence);
      studentSlopes[at + k] = ADVERSARIAL * factor * (shares[k] - studentShares[k]);
    }
  });
  return { loss, slopes, studentSlopes };
}
