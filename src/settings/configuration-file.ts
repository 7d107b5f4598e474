/** A configuration file: JSON with the sections and entries that it changes. */
import { readFileSync } from 'node:fs';
import { ElsewiseError } from '../documents/error.js';
import { refuseRepeatedKeysOf } from '../documents/repeated-key.js';
import type { Layer } from './layers.js';

/** `variable`: the environment variable that named the file. */
export function fileLayer(file: string, variable: string): Layer {
  const values = parse(read(file, variable), file);
  if (values !== null && typeof values === 'object' && !Array.isArray(values)) return { origin: file, values };
  throw new ElsewiseError('usage', 'expected a JSON object of sections', file);
}

function read(file: string, variable: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new ElsewiseError('usage', `cannot read ${file}: ${(error as Error).message}`, variable);
  }
}

function parse(text: string, file: string): unknown {
  let values: unknown;
  try {
    values = JSON.parse(text);
  } catch (error) {
    throw new ElsewiseError('usage', `this is not JSON: ${(error as Error).message}`, file);
  }
  refuseRepeatedKeysOf(file, text, 'usage');
  return values;
}
