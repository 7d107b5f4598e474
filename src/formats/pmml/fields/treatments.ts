/**
 * The treatments of a MiningField: what a missing, an invalid and an extreme value count as. Values that stand for a missing one come first, then
 * invalid values, extreme values, and missing values.
 *
 * A value that a consumer of PMML would refuse (returnInvalid) is no value of a category and lies outside of the limits of a number.
 */
import type { XmlElement } from '../xml/xml-element.js';
import type { DataField } from './data-dictionary.js';
import { type Cut, compose, cutsAt, type FieldFunction } from './expression.js';
import { parseScalar, type Scalar } from './scalar.js';
import { readInterval } from './transformations.js';

const TREATMENTS = ['missingValueReplacement', 'invalidValueTreatment', 'outliers', 'missingValueTreatment'];

export const hasTreatment = (mining: XmlElement): boolean => TREATMENTS.some((key) => mining.get(key) !== undefined);

const INVALID = ['returnInvalid', 'asIs', 'asMissing', 'asValue'] as const;

/** The value of a field after the treatments of its MiningField. `field`: null for a field of a nested model, whose values are valid. */
export function treated(own: FieldFunction, mining: XmlElement, field: DataField | null): FieldFunction {
  const steps = [
    ...(field ? [invalidStep(own, mining, field)] : []),
    outlierStep(own, mining),
    missingStep(own, mining),
  ];
  return steps.flatMap((step) => step ?? []).reduce((sofar, step) => throughStep(sofar, step, mining), own);
}

interface Treatment {
  readonly run: (value: Scalar) => Scalar;
  readonly cuts: readonly Cut[];
  /** Whether present values stay as they are. */
  readonly isForMissing: boolean;
}

function throughStep(own: FieldFunction, { run, cuts, isForMissing }: Treatment, mining: XmlElement): FieldFunction {
  const whole = compose(own.type, [own], ([value]) => run(value), mining, { cuts });
  if (!isForMissing) return whole;
  const fill = run(null);
  const line = own.line && typeof fill === 'number' ? { ...own.line, fill } : own.line;
  return { ...whole, line, isPlain: own.isPlain };
}

function missingStep({ type }: FieldFunction, mining: XmlElement): Treatment | null {
  const text = mining.get('missingValueReplacement');
  if (text === undefined) return null;
  const replacement = parseScalar(text, type, mining);
  return { run: (value) => value ?? replacement, cuts: [], isForMissing: true };
}

function outlierStep(own: FieldFunction, mining: XmlElement): Treatment | null {
  const treatment = mining.word('outliers', ['asIs', 'asMissingValues', 'asExtremeValues'] as const);
  if (treatment === 'asIs') return null;
  const low = mining.number('lowValue', Number.NEGATIVE_INFINITY);
  const high = mining.number('highValue', Number.POSITIVE_INFINITY);
  const clamp = (value: number) => Math.min(high, Math.max(low, value));
  const run = (value: Scalar) => {
    if (typeof value !== 'number' || clamp(value) === value) return value;
    return treatment === 'asMissingValues' ? null : clamp(value);
  };
  return { run, cuts: [low, high].filter(Number.isFinite).flatMap((end) => cutsAt(own, end)), isForMissing: false };
}

/** No row has it: a missing value is told as such. */
const NOT_A_NUMBER = 'NaN';

/** Values that stand for a missing one, and invalid values that count as something else. */
function invalidStep(
  own: FieldFunction,
  mining: XmlElement,
  { element, type, isCategory }: DataField,
): Treatment | null {
  if (isCategory) return null;
  const treatment = mining.word('invalidValueTreatment', INVALID);
  const special = (kind: string) =>
    element
      .all('Value')
      .filter((value) => value.get('property') === kind && value.get('value') !== NOT_A_NUMBER)
      .map((value) => parseScalar(value.needs('value'), type, value));
  const missing = new Set(special('missing'));
  const isCounted = treatment === 'asMissing' || treatment === 'asValue';
  const isValid = isCounted ? validity(element, new Set(special('invalid'))) : { holds: () => true, ends: [] };
  if (!missing.size && !isCounted) return null;
  const text = treatment === 'asValue' ? mining.needs('invalidValueReplacement') : undefined;
  const replacement = text === undefined ? null : parseScalar(text, type, mining);
  const run = (value: Scalar) =>
    value === null || missing.has(value) ? null : isValid.holds(value as number) ? value : replacement;
  const ends = [...isValid.ends, ...[...missing].map(Number)];
  return { run, cuts: ends.flatMap((end) => cutsAt(own, end)), isForMissing: false };
}

function validity(element: XmlElement, invalid: ReadonlySet<Scalar>) {
  const intervals = element.all('Interval').map(readInterval);
  const isWithin = (value: number) => !intervals.length || intervals.some(({ holds }) => holds(value));
  return {
    holds: (value: number) => !invalid.has(value) && isWithin(value),
    ends: [...intervals.flatMap(({ ends }) => ends), ...[...invalid].map(Number)],
  };
}
