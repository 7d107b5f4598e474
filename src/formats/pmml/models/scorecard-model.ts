/**
 * Scorecard: initialScore + Σ of the points of each characteristic. A characteristic has the points of its first attribute whose predicate
 * is true. Characteristics of one field each make an `additive` model, others a sum of trees.
 *
 * The document has no place for reason codes that the program reads: `reasons` of a policy names features, and with the reference `best` the
 * points lost. The codes stand in the description.
 */
import type { FieldFunction } from '../fields/expression.js';
import { mergeCuts } from '../fields/expression.js';
import type { Scalar } from '../fields/scalar.js';
import { type DocumentPart, type ModelContext, readRescaling } from '../model-context.js';
import { writeSums } from '../trees/forest.js';
import { growTree, type Rules } from '../trees/grown-tree.js';
import { type AtomTruth, judge, type Predicate, type PredicateAtom, readPredicate } from '../trees/predicates.js';
import type { XmlElement } from '../xml/xml-element.js';
import { type ColumnSum, writeSteps } from './linear-sum.js';

interface Attribute {
  readonly predicate: Predicate;
  readonly points: number;
}

interface Characteristic {
  readonly element: XmlElement;
  readonly attributes: readonly Attribute[];
  readonly atoms: readonly PredicateAtom[];
}

export function importScorecardModel(model: XmlElement, context: ModelContext): DocumentPart {
  if (context.classes) throw model.refusal('a scorecard of classes: write functionName="regression"');
  const { factor, constant } = readRescaling(model);
  const characteristics = model
    .needed('Characteristics')
    .all('Characteristic')
    .map((element) => readCharacteristic(element, factor, context));
  const intercept = model.number('initialScore', 0) * factor + constant;
  const described = descriptionOf(model, characteristics);
  const isPlain = characteristics.every(({ atoms }) => new Set(atoms.map(({ source }) => source)).size === 1);
  if (!isPlain) {
    const trees = characteristics.map((own) => ({ seed: seedOf(own), factor: 1 }));
    const sum = { kind: 'forest', trees, constant: intercept, isSingle: false } as const;
    return { ...writeSums([sum], 'identity', model, context), ...described };
  }
  const sum: ColumnSum = { kind: 'linear', intercept, parts: characteristics.map(pointsOf) };
  const {
    intercept: [first],
    terms,
  } = writeSteps([sum], model);
  const parameters = { intercept: first, terms, link: 'identity' };
  return { family: 'additive', features: [...context.features], ...described, parameters };
}

function readCharacteristic(element: XmlElement, factor: number, { scope }: ModelContext): Characteristic {
  const attributes = element.all('Attribute').map((attribute) => {
    const complex = attribute.child('ComplexPartialScore');
    if (complex) throw complex.refusal('points that are computed: write a partialScore for each bin');
    const points = attribute.number('partialScore') * factor;
    return { predicate: readPredicate(attribute, scope.find), points };
  });
  if (!attributes.length) throw element.fault('has no attributes');
  return { element, attributes, atoms: attributes.flatMap(({ predicate }) => atomsOf(predicate)) };
}

function atomsOf(predicate: Predicate): PredicateAtom[] {
  if (predicate.kind === 'known') return [];
  return predicate.kind === 'atom' ? [predicate.atom] : predicate.parts.flatMap(atomsOf);
}

/** The points as a function of the one field. */
function pointsOf({ attributes, atoms }: Characteristic): FieldFunction {
  const at = (value: Scalar) => {
    const truthOf: AtomTruth = (atom) => truthAt(atom, value);
    return attributes.find(({ predicate }) => judge(predicate, truthOf) === true)?.points ?? null;
  };
  const cuts = mergeCuts(atoms.flatMap((atom) => atom.cuts));
  return { type: 'double', source: atoms[0].source, at, cuts, isStep: true, line: null, isPlain: false };
}

function truthAt({ source, cuts, truths, missing }: PredicateAtom, value: Scalar) {
  if (value === null) return missing;
  if (source.kind === 'category') return truths[source.values.indexOf(value)];
  const next = cuts.findIndex(({ start }) => start > (value as number));
  return truths[next < 0 ? cuts.length : next];
}

/** The attributes one after the other. The state is the number of the attribute. */
function seedOf({ element, attributes }: Characteristic) {
  const rules: Rules<number> = {
    first: 0,
    keyOf: String,
    next(state, truthOf) {
      if (state === attributes.length) return { kind: 'nothing', refusal: () => element.refusal(WITHOUT_POINTS) };
      const { predicate, points } = attributes[state];
      const judgement = judge(predicate, truthOf);
      if (judgement === true) return { kind: 'leaf', value: [points] };
      if (judgement === false || judgement === null) return { kind: 'state', state: state + 1 };
      return { kind: 'ask', atom: judgement };
    },
  };
  return (takesMissing: boolean, budget: Parameters<typeof growTree>[2]) =>
    growTree(rules, takesMissing, budget, element.path);
}

const WITHOUT_POINTS = 'rows without a missing value that no attribute takes: add an attribute for all other values';

function descriptionOf(model: XmlElement, characteristics: readonly Characteristic[]): { description?: string } {
  if (model.get('useReasonCodes') === 'false') return {};
  const codes = characteristics.flatMap(({ element, atoms }) => {
    const own = [element, ...element.all('Attribute')].flatMap((part) => part.get('reasonCode') ?? []);
    const names = new Set(atoms.map(({ source }) => source.name));
    return own.length ? [`${[...names].join(', ')}: ${[...new Set(own)].join(', ')}`] : [];
  });
  return codes.length ? { description: `Reason codes of the scorecard, by feature. ${codes.join('; ')}.` } : {};
}
