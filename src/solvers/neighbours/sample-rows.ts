/**
 * The samples of a `knn` model as rows by feature, for searches that start from rows with the target:
 *
 *   x_c = (u_c - o_c) / m_c     behind steps that keep columns apart
 *
 * For a class as the goal, only samples of the class are taken. Of many samples, evenly spaced ones are taken. Behind a step that mixes columns the
 * samples cannot be expressed by feature, and rows of the background are taken instead.
 */
import { gather } from '../../models/features.js';
import type { NeighboursAtom } from '../../models/region.js';
import type { Problem } from '../../problems/problem.js';

/** The largest number of samples. */
const MOST_ROWS = 500;

export function sampleRows(atom: NeighboursAtom, { space, samples }: Problem): readonly Float64Array[] {
  const { nearest, map } = atom;
  if (map && (!map.diagonal || map.diagonal.includes(0))) return samples;
  const columnOf = (u: number, c: number) => (map ? (u - map.offset[c]) / map.diagonal![c] : u);
  return fittingSamples(atom).map((s) => {
    const inputs = nearest.samples.subarray(s * nearest.inputs, (s + 1) * nearest.inputs);
    const values = new Float64Array(space.features.length);
    gather(space, Float64Array.from(inputs, columnOf), values);
    return values;
  });
}

function fittingSamples({ labels, goal, classes }: NeighboursAtom): number[] {
  const fits = (label: number) => !classes || goal.kind === 'interval' || label === goal.index;
  const fitting = [...labels.keys()].filter((s) => fits(labels[s]));
  const stride = Math.max(1, Math.ceil(fitting.length / MOST_ROWS));
  return fitting.filter((_, k) => k % stride === 0);
}
