/** Numbers for made-up people, the same every time, and a model document on few lines. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** `random`: between 0 and 1, by a linear congruential generator. `normal`: about normal, the sum of twelve of them. */
export function generatorOf(seed) {
  let state = seed;
  const random = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
  const normal = () => Array.from({ length: 12 }, random).reduce((sum, number) => sum + number, -6);
  return { random, normal };
}

/** A whole number between two others. */
export const within = (value, low, high) => Math.min(high, Math.max(low, Math.round(value)));

/** Writes model.json, into the folder that is the first argument of the command or beside the script. Lists of numbers take one line. */
export function writeModel(model, script) {
  const folder = process.argv[2] ?? fileURLToPath(new URL('.', script));
  const lines = JSON.stringify(model, null, 2).replace(
    /\[\s+((?:[^[\]{}]|\n)*?)\s+\]/g,
    (_, list) => `[${list.replace(/\s*\n\s*/g, ' ')}]`,
  );
  writeFileSync(join(folder, 'model.json'), `${lines}\n`);
}
