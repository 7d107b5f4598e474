/** A model of several outputs for a row: the product explains one of them. */
import { ElsewiseError } from '../documents/error.js';
import type { ImportChoices } from './choices.js';

/** The kept output. `what`: the outputs in the plural, such as "targets". */
export function chosenOutput(count: number, { output }: ImportChoices, what: string, path: string): number {
  if (output === undefined && count === 1) return 0;
  const choice = `choose one of them by --output-index, from 0 to ${count - 1}`;
  if (output === undefined) throw new ElsewiseError('unsupported', `the model has ${count} ${what}: ${choice}`, path);
  if (output < count) return output;
  const message =
    count > 1
      ? `there is no output ${output}: ${choice}`
      : `there is no output ${output}: the model has one, and needs no --output-index`;
  throw new ElsewiseError('usage', message, path);
}

/** Of a model with one decision: several classes belong together, and none of them is an output by itself. */
export function refuseOutput({ output }: ImportChoices, path: string): void {
  if (output === undefined) return;
  throw new ElsewiseError('usage', '--output-index: the model has one decision, and no outputs to choose from', path);
}
