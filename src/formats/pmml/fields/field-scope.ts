/**
 * The fields that a model reads, by name: columns after their treatments, and fields computed from others when a model asks for them. A nested
 * model has the fields of the outer one, and its own.
 */
import { didYouMean } from '../../../documents/nearest-name.js';
import type { XmlElement } from '../xml/xml-element.js';
import type { FieldFunction } from './expression.js';
import { type Lookup, readDerived } from './transformations.js';
import { hasTreatment, treated } from './treatments.js';

/** Fields by name. A field that is not known here is asked of the outer scope. */
export class FieldScope {
  private readonly makers = new Map<string, () => FieldFunction>();
  private readonly known = new Map<string, FieldFunction>();
  private readonly open = new Set<string>();

  constructor(private readonly outer: FieldScope | null = null) {}

  define(name: string, make: () => FieldFunction): void {
    this.makers.set(name, make);
  }

  /** Derived fields, which read fields of this scope. */
  defineDerived(parent: XmlElement | undefined): void {
    for (const field of parent?.all('DerivedField') ?? [])
      this.define(field.needs('name'), () => readDerived(field, this.find));
  }

  find: Lookup = (name, element) => {
    const known = this.known.get(name);
    if (known) return known;
    const make = this.makers.get(name);
    if (!make) return this.findOutside(name, element);
    if (this.open.has(name)) throw element.fault(`the field "${name}" is computed from itself`);
    this.open.add(name);
    const made = make();
    this.open.delete(name);
    this.known.set(name, made);
    return made;
  };

  private findOutside(name: string, element: XmlElement): FieldFunction {
    if (this.outer) return this.outer.find(name, element);
    throw element.fault(`there is no field "${name.slice(0, 60)}"${didYouMean(name, this.makers.keys())}`);
  }
}

/** The fields of a nested model: those of the outer scope, with its own treatments. */
export function nestedScope(outer: FieldScope, model: XmlElement): FieldScope {
  const scope = new FieldScope(outer);
  for (const mining of activeFields(model)) {
    if (!hasTreatment(mining)) continue;
    const name = mining.needs('name');
    scope.define(name, () => treated(outer.find(name, mining), mining, null));
  }
  return localScope(scope, model);
}

/** The fields that a model computes for itself. */
export function localScope(outer: FieldScope, model: XmlElement): FieldScope {
  const scope = new FieldScope(outer);
  scope.defineDerived(model.child('LocalTransformations'));
  return scope;
}

export const activeFields = (model: XmlElement): XmlElement[] =>
  model
    .needed('MiningSchema')
    .all('MiningField')
    .filter((field) => (field.get('usageType') ?? 'active') === 'active');
