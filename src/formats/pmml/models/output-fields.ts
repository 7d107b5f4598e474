/** Output fields of a model in a chain that a later model reads: factor x result + constant. */
import { columnOf, type FieldFunction } from '../fields/expression.js';
import { readExpression } from '../fields/transformations.js';
import type { XmlElement } from '../xml/xml-element.js';

interface ResultField {
  readonly name: string;
  readonly factor: number;
  readonly constant: number;
}

export function readOutputs(model: XmlElement): ResultField[] {
  const known = new Map<string, ResultField>();
  for (const field of model.child('Output')?.all('OutputField') ?? []) {
    const result = readOutput(field, known);
    if (result) known.set(result.name, result);
  }
  return [...known.values()];
}

const DOUBLE = { isSingle: false, isWhole: false } as const;

/** Null: no number of the model's result. */
function readOutput(field: XmlElement, known: ReadonlyMap<string, ResultField>): ResultField | null {
  const name = field.needs('name');
  const feature = field.get('feature') ?? 'predictedValue';
  if (feature === 'predictedValue') return { name, factor: 1, constant: 0 };
  if (feature !== 'transformedValue') return null;
  const find = (own: string, element: XmlElement): FieldFunction => {
    const result = known.get(own);
    if (!result) throw element.refusal(`an output of "${own}": outputs are lines of the predicted value`);
    const source = { kind: 'number', name: own, index: 0, fill: null, isRequired: false, ...DOUBLE } as const;
    const line = { slope: result.factor, offset: result.constant, fill: null };
    return { ...columnOf(source, 'double'), line };
  };
  const { line } = readExpression(field, find);
  if (line) return { name, factor: line.slope, constant: line.offset };
  throw field.refusal('an output that is no line of the predicted value: leave it out, or compute it after the model');
}
