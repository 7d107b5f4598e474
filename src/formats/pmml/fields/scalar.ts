/** Values of PMML: types, texts in a file, and casts between types. A missing value is null. */
import { readNumber, type XmlElement } from '../xml/xml-element.js';

export type ValueType = 'string' | 'integer' | 'float' | 'double' | 'boolean';
export type Scalar = number | string | boolean | null;

const TYPES: readonly ValueType[] = ['string', 'integer', 'float', 'double', 'boolean'];

export const isNumeric = (type: ValueType): boolean => type !== 'string' && type !== 'boolean';

export function typeOf(element: XmlElement, absent?: ValueType): ValueType {
  const text = element.get('dataType') ?? absent ?? element.needs('dataType');
  const type = TYPES.find((known) => known === text);
  if (type) return type;
  throw element.refusal(
    `the data type "${text}"; known are ${TYPES.join(', ')}: turn dates and times into numbers before the model`,
  );
}

/** The value that a text of the file has in a type. */
export function parseScalar(text: string, type: ValueType, element: XmlElement): Scalar {
  if (type === 'string') return text;
  if (type === 'boolean') return parseTruth(text, element);
  const value = element.parseNumber(text, 'a value of a field of numbers');
  return type === 'float' ? Math.fround(value) : value;
}

const TRUTHS: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['false', false],
  ['1', true],
  ['0', false],
  ['1.0', true],
  ['0.0', false],
]);

function parseTruth(text: string, element: XmlElement): boolean {
  const truth = TRUTHS.get(text.trim().toLowerCase());
  if (truth !== undefined) return truth;
  throw element.fault(`expected true or false, got "${text.slice(0, 40)}"`);
}

/** How a value of a type becomes one of another. Null: no such cast is known. */
export function castOf(from: ValueType, to: ValueType): ((value: Scalar) => Scalar) | null {
  if (from === to || (to === 'double' && isNumeric(from))) return (value) => value;
  if (to === 'float' && isNumeric(from)) return (value) => (value === null ? null : Math.fround(value as number));
  if (to === 'float' && from === 'string') return (value) => floatOf(numberOf(value));
  if (isNumeric(to) && from === 'string') return numberOf;
  return null;
}

const numberOf = (value: Scalar): Scalar => (value === null ? null : (readNumber(String(value)) ?? null));
const floatOf = (value: Scalar): Scalar => (value === null ? null : Math.fround(value as number));

/** The type of a constant without a type of its own. */
export function typeOfText(text: string): ValueType {
  if (/^[+-]?\d+$/.test(text.trim())) return 'integer';
  return readNumber(text) === undefined ? 'string' : 'double';
}

const ARRAY_WORD = /"((?:[^"\\]|\\.)*)"|(\S+)/g;

/** The words of an Array: separated by blanks, in quotes where they have blanks. */
export function readArray(array: XmlElement): string[] {
  return [...array.text.matchAll(ARRAY_WORD)].map(([, quoted, plain]) => plain ?? quoted.replace(/\\(.)/g, '$1'));
}

export const readNumbers = (array: XmlElement): number[] =>
  readArray(array).map((text) => array.parseNumber(text, 'a number of the array'));
