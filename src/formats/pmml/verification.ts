/**
 * ModelVerification: rows with the results of the program that wrote the file. They become probes: a document whose scores differ from them
 * does not load.
 *
 *   number     the target, or an output field with the predicted value
 *   classes    an output field with the probability of each class
 */
import type { FeatureDocument, ModelDocument, RowValue } from '../../documents/model-document.js';
import { type Classes, descendantsOf, isSingle, targetsOf } from './model-context.js';
import { readNumber, type XmlElement } from './xml/xml-element.js';

type Probes = NonNullable<ModelDocument['probes']>;

/** More rows add little to the check, and every load repeats it. */
const MOST_ROWS = 100;

/** Undefined: the file has no rows, or rows without all features and scores. */
export function readVerification(
  model: XmlElement,
  features: readonly FeatureDocument[],
  classes: Classes | null,
): Probes | undefined {
  const verification = model.child('ModelVerification');
  const table = verification?.child('InlineTable');
  if (!verification || !table || model.name === 'SupportVectorMachineModel') return undefined;
  const columns = columnsOf(verification);
  const scored = scoreFields(model, classes).map((names) => names.find((name) => columns.has(name)));
  if (!features.every(({ name }) => columns.has(name)) || scored.includes(undefined)) return undefined;
  const rows = table.all('row').slice(0, MOST_ROWS);
  const textOf = (row: XmlElement, name: string) => row.child(columns.get(name)!)?.text;
  const scores = rows.map((row) => scored.map((name) => readNumber(textOf(row, name!) ?? '')));
  if (!rows.length || scores.flat().includes(undefined)) return undefined;
  const isFloat = [...descendantsOf(model)].some((own) => own.get('x-mathContext') !== undefined && isSingle(own));
  return {
    rows: rows.map((row) => features.map((feature) => cellValue(feature, textOf(row, feature.name)))),
    scores: scores as number[][],
    precision: isFloat ? 'float32' : 'float64',
  };
}

/** By field: the element of its cells. */
function columnsOf(verification: XmlElement): Map<string, string> {
  const fields = verification.child('VerificationFields')?.all('VerificationField') ?? [];
  return new Map(
    fields.map((field) => {
      const name = field.needs('field');
      const column = field.get('column') ?? name;
      return [name, column.slice(column.indexOf(':') + 1)];
    }),
  );
}

/** By score: names of fields that have it. The last model of a chain has outputs of its own. */
function scoreFields(model: XmlElement, classes: Classes | null): string[][] {
  if (!classes) return [predictedFields(model)];
  const outputs = [...descendantsOf(model)].filter(
    (own) => own.name === 'OutputField' && own.get('feature') === 'probability',
  );
  return classes.names.map((name) =>
    outputs.filter((output) => output.get('value') === name).map((output) => output.needs('name')),
  );
}

function predictedFields(model: XmlElement): string[] {
  const outputs = model.child('Output')?.all('OutputField') ?? [];
  const predicted = outputs.filter((output) => (output.get('feature') ?? 'predictedValue') === 'predictedValue');
  return [...targetsOf(model), ...predicted].map((field) => field.needs('name'));
}

function cellValue({ type }: FeatureDocument, text: string | undefined): RowValue {
  if (text === undefined) return null;
  return type === 'continuous' || type === 'integer' ? (readNumber(text) ?? null) : text;
}
