/** Bands of reported scores, best first: a score has the first band whose lower end it reaches. */
import type { BandDocument, DecisionDocument } from '../../documents/decision/decision-document.js';
import { ElsewiseError } from '../../documents/error.js';

export type Band = BandDocument;

/** Undefined: the score is below all bands. */
export const bandAt = (bands: readonly Band[], score: number): Band | undefined =>
  bands.find(({ from }) => score >= from);

export function bandsOf({ bands = [] }: Partial<DecisionDocument>, classes: readonly string[]): readonly Band[] {
  const names = new Set<string>(classes);
  for (const [k, { name, from }] of bands.entries()) {
    if (names.has(name)) throw nameFault(k, name, classes.includes(name));
    if (k > 0 && !(from < bands[k - 1].from)) throw orderFault(k, from, bands[k - 1]);
    names.add(name);
  }
  return bands;
}

const fault = (path: string, message: string) =>
  new ElsewiseError('bad-document', message, `model.decision.bands${path}`);

const nameFault = (k: number, name: string, isClass: boolean) =>
  fault(`[${k}].name`, `"${name}" is ${isClass ? 'a class of the model' : 'used twice'}: give the band another name`);

const orderFault = (k: number, from: number, before: Band) =>
  fault(`[${k}].from`, `${from} is not below ${before.from} of "${before.name}": list the best band first`);
