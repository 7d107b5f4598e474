/** An element of an XML file. Faults have its path: `pmml.TreeModel.Node.Node[1].SimplePredicate`. */
import { ElsewiseError } from '../../../documents/error.js';
import { didYouMean } from '../../../documents/nearest-name.js';
import { LARGEST } from '../../../documents/numbers.js';
import { unsupported } from '../../ensemble.js';

/** The last names of a long path say where the element is. */
const MOST_NAMES = 12;

export class XmlElement {
  readonly children: XmlElement[] = [];
  text = '';

  constructor(
    readonly name: string,
    private readonly attributes: ReadonlyMap<string, string>,
    private readonly parent: XmlElement | null,
  ) {}

  get path(): string {
    const names: string[] = [];
    for (let element: XmlElement = this; element.parent; element = element.parent) names.push(element.place);
    const shown = names.length > MOST_NAMES ? [...names.slice(0, MOST_NAMES), '...'] : names;
    return ['pmml', ...shown.reverse()].join('.');
  }

  /** The name, with a number where the parent has several children of the name. */
  private get place(): string {
    const same = this.parent!.children.filter(({ name }) => name === this.name);
    return same.length > 1 ? `${this.name}[${same.indexOf(this)}]` : this.name;
  }

  child(name: string): XmlElement | undefined {
    return this.children.find((child) => child.name === name);
  }

  needed(name: string): XmlElement {
    const child = this.child(name);
    if (child) return child;
    throw this.fault(`has no element ${name}`);
  }

  all(name: string): XmlElement[] {
    return this.children.filter((child) => child.name === name);
  }

  /** The one child with a name of the table. */
  oneOf(names: readonly string[]): XmlElement {
    const child = this.children.find(({ name }) => names.includes(name));
    if (child) return child;
    throw this.fault(`expected one element of ${names.join(', ')}`);
  }

  get(key: string): string | undefined {
    return this.attributes.get(key);
  }

  needs(key: string): string {
    const text = this.attributes.get(key);
    if (text !== undefined) return text;
    throw this.fault(`has no attribute ${key}`);
  }

  /** A number, or the default where the attribute is absent. Without a default the attribute is needed. */
  number(key: string, absent?: number): number {
    const text = this.attributes.get(key);
    if (text === undefined && absent !== undefined) return absent;
    return this.parseNumber(this.needs(key), key);
  }

  parseNumber(text: string, what: string): number {
    const value = readNumber(text);
    if (value !== undefined && Math.abs(value) <= LARGEST) return value;
    throw this.fault(`${what}: expected a number, got "${text.slice(0, 40)}"`);
  }

  /** An attribute with one of some words. The first is the default. */
  word<T extends string>(key: string, words: readonly T[]): T {
    const text = this.attributes.get(key) ?? words[0];
    const word = words.find((known) => known === text);
    if (word !== undefined) return word;
    throw this.fault(
      `${key}: there is no "${text.slice(0, 40)}", known are ${words.join(', ')}${didYouMean(text, words)}`,
    );
  }

  fault(message: string): ElsewiseError {
    return new ElsewiseError('bad-document', message, this.path);
  }

  refusal(what: string): ElsewiseError {
    return unsupported(what, this.path);
  }
}

const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/;

/** Undefined: the text is no finite number. */
export function readNumber(text: string): number | undefined {
  const plain = text.trim();
  const value = NUMBER.test(plain) ? Number(plain) : Number.NaN;
  return Number.isFinite(value) ? value : undefined;
}
