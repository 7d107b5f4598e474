/**
 * Preprocessing, step by step as documented:  scale (c - mean) / scale,  affine M c + o,  impute where missing,  monotone (curves.ts).
 * Beside each input stands the size of the terms it was made of, which bounds its rounding, and a noise: by how much another
 * order of summation could move the input. A scale has one order only, so trees behind it still compare exactly.
 */
import { type CurveName, curveAt } from './curves.js';

export type Step =
  | { type: 'scale'; mean: number[]; scale: number[] }
  | { type: 'affine'; matrix: number[][]; offset: number[] }
  | { type: 'impute'; values: (number | null)[] }
  | { type: 'monotone'; functions: (CurveName | null)[]; powers: number[] };

export interface Inputs {
  x: Float64Array;
  size: Float64Array;
  noise: Float64Array;
}

export const createInputs = (length: number): Inputs => ({
  x: new Float64Array(length),
  size: new Float64Array(length),
  noise: new Float64Array(length),
});

export const inputsAfter = (steps: readonly Step[], columns: number): number =>
  steps.reduce((width, step) => (step.type === 'affine' ? step.matrix.length : width), columns);

/** One function per step; each writes into arrays of its own. */
export function compileSteps(steps: readonly Step[], columns: number): (columns: Inputs) => Inputs {
  let width = columns;
  const runners = steps.map((step) => {
    const out = createInputs(step.type === 'affine' ? step.matrix.length : width);
    width = out.x.length;
    return (input: Inputs) => runStep(step, input, out);
  });
  return (input) => runners.reduce((state, run) => run(state), input);
}

function runStep(step: Step, input: Inputs, out: Inputs): Inputs {
  if (step.type === 'affine') return runAffine(step, input, out);
  if (step.type === 'monotone') return runMonotone(step, input, out);
  for (let i = 0; i < out.x.length; i++) {
    if (step.type === 'impute') {
      const missing = Number.isNaN(input.x[i]);
      out.x[i] = missing ? (step.values[i] ?? Number.NaN) : input.x[i];
      out.size[i] = missing ? Math.abs(out.x[i]) : input.size[i];
      out.noise[i] = missing ? 0 : input.noise[i];
    } else {
      out.x[i] = (input.x[i] - step.mean[i]) / step.scale[i];
      out.size[i] = (input.size[i] + Math.abs(step.mean[i])) / Math.abs(step.scale[i]);
      out.noise[i] = input.noise[i] / Math.abs(step.scale[i]);
    }
  }
  return out;
}

/** Powers and logarithms may be rounded differently by another formula. */
function runMonotone({ functions, powers }: Step & { type: 'monotone' }, input: Inputs, out: Inputs): Inputs {
  for (let i = 0; i < out.x.length; i++) {
    const { value, slope, terms } = curveAt(functions[i], powers[i], input.x[i]);
    out.x[i] = value;
    out.size[i] = slope * input.size[i] + terms;
    out.noise[i] = slope * input.noise[i] + 1e-15 * (terms + (functions[i] ? slope * input.size[i] : 0));
  }
  return out;
}

function runAffine({ matrix, offset }: Step & { type: 'affine' }, input: Inputs, out: Inputs): Inputs {
  for (let r = 0; r < matrix.length; r++) {
    let sum = offset[r];
    let size = Math.abs(offset[r]);
    let noise = 0;
    for (let c = 0; c < input.x.length; c++) {
      sum += matrix[r][c] * input.x[c];
      size += Math.abs(matrix[r][c]) * input.size[c];
      noise += Math.abs(matrix[r][c]) * input.noise[c];
    }
    out.x[r] = sum;
    out.size[r] = size;
    out.noise[r] = noise + 1e-14 * size;
  }
  return out;
}

/** What an imputer stands for, in the row's own units: imputers stand before any affine step, maybe behind scales. */
export function imputedColumns(steps: readonly Step[], columns: number): Float64Array {
  const imputed = new Float64Array(columns).fill(Number.NaN);
  const undo: { mean: number[]; scale: number[] }[] = [];
  for (const step of steps) {
    if (step.type === 'affine' || step.type === 'monotone') break;
    if (step.type === 'scale') undo.unshift(step);
    else
      for (const [i, value] of step.values.entries())
        if (value !== null && Number.isNaN(imputed[i]))
          imputed[i] = undo.reduce((v, { mean, scale }) => v * scale[i] + mean[i], value);
  }
  return imputed;
}
