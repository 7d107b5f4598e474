/** The DataDictionary: types of fields, and listed values. */
import { didYouMean } from '../../../documents/nearest-name.js';
import type { XmlElement } from '../xml/xml-element.js';
import { isNumeric, type Scalar, typeOf, type ValueType } from './scalar.js';

/** A field of the DataDictionary. */
export interface DataField {
  readonly element: XmlElement;
  readonly name: string;
  readonly type: ValueType;
  readonly isCategory: boolean;
  /** Texts of the values that are listed as valid. */
  readonly words: readonly string[];
}

/** The elements by name. A field is read when a model asks for it: others may have types that are not read. */
export class DataDictionary {
  private readonly elements: ReadonlyMap<string, XmlElement>;

  constructor(root: XmlElement) {
    const fields = root.needed('DataDictionary').all('DataField');
    this.elements = new Map(fields.map((field) => [field.needs('name'), field]));
  }

  /** The field of a MiningField. */
  find(mining: XmlElement): DataField {
    const name = mining.needs('name');
    const element = this.elements.get(name);
    if (element) return readDataField(element, name);
    throw mining.fault(
      `the DataDictionary has no field "${name.slice(0, 60)}"${didYouMean(name, this.elements.keys())}`,
    );
  }
}

function readDataField(element: XmlElement, name: string): DataField {
  const type = typeOf(element);
  const optype = element.word('optype', ['categorical', 'continuous', 'ordinal'] as const);
  const words = element.all('Value').filter((value) => value.word('property', VALUE_KINDS) === 'valid');
  return {
    element,
    name,
    type,
    isCategory: optype !== 'continuous' || !isNumeric(type),
    words: words.map((value) => value.needs('value')),
  };
}

const VALUE_KINDS = ['valid', 'missing', 'invalid'] as const;

/** The texts of a field's values in one spelling: numbers as 1, not as 1.0. */
export const wordOf = (value: Scalar): string => String(value);
