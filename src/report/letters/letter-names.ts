/** Names and values of features and classes in the language of a letter. A document of labels wins over the model document. */
import type { BandDocument } from '../../documents/decision/decision-document.js';
import type {
  FeatureLabels,
  LabelsDocument,
  Language,
  ModelLabels,
  UnitForms,
} from '../../documents/labels/label-document.js';
import type { FeatureDocument, ModelDocument, RowValue } from '../../documents/model-document.js';
import { nameInWords } from '../words.js';
import type { LetterFormat } from './letter-format.js';
import { type UnitPlace, unitForms, unitOf } from './letter-units.js';
import type { LetterWords } from './letter-words.js';

/** A no-break space: a number and its unit stay on one line. */
const SPACE = '\u00a0';

export interface NamedFeature {
  readonly document: FeatureDocument;
  /** Whether somebody gave a name for people. */
  readonly isNamed: boolean;
  /** Within a sentence. */
  readonly label: string;
  /** Standing alone, with a capital letter. */
  readonly title: string;
  readonly unit: UnitForms;
  readonly categories: ReadonlyMap<string, string>;
}

export interface NamedModel extends Pick<ModelDocument, 'features' | 'classes' | 'classLabels' | 'translations'> {
  readonly decision?: { readonly bands?: readonly BandDocument[] };
}

export class LetterNames {
  readonly features: readonly NamedFeature[];
  /** Features and classes without a name for people: letters show their names for programs. */
  readonly unnamed: readonly string[];
  readonly #byName: ReadonlyMap<string, NamedFeature>;
  readonly #classes: ReadonlyMap<string, string>;
  readonly #words: LetterWords;
  readonly #format: LetterFormat;

  constructor(
    model: NamedModel,
    labels: LabelsDocument | undefined,
    language: Language,
    words: LetterWords,
    format: LetterFormat,
  ) {
    this.#words = words;
    this.#format = format;
    this.features = model.features.map((document) =>
      nameFeature(document, ownOf(labels?.features, document.name), language),
    );
    this.#byName = new Map(this.features.map((feature) => [feature.document.name, feature]));
    const classNames = inOrder<ModelLabels>(labels, model, language).map(({ classLabels }) => classLabels);
    const classes = model.classes ?? [];
    this.#classes = new Map(classes.map((name) => [name, firstName(classNames, name) ?? name]));
    this.unnamed = [
      ...this.features.filter(({ isNamed }) => !isNamed).map(({ document }) => document.name),
      ...classes.filter((name) => firstName(classNames, name) === undefined),
    ];
  }

  find(name: string): NamedFeature | undefined {
    return this.#byName.get(name);
  }

  class(name: string): string {
    return this.#classes.get(name) ?? name;
  }

  value(name: string, value: RowValue, place: UnitPlace = {}): string {
    const feature = this.find(name);
    if (value === null) return this.#words.notGiven;
    if (typeof value === 'boolean') return value ? this.#words.yes : this.#words.no;
    if (typeof value === 'string') return feature?.categories.get(value) ?? value;
    return this.withUnit(name, value, this.#format.number(value), place);
  }

  /** A number that is shown as a text, with the unit of the feature. */
  withUnit(name: string, value: number, shown: string, place: UnitPlace = {}): string {
    const feature = this.find(name);
    const unit = feature ? unitOf(feature.unit, this.#format.plural(value), place) : '';
    return unit ? `${shown}${SPACE}${unit}` : shown;
  }

  /** Labels of features within a sentence. */
  list(names: readonly string[]): string {
    return this.#format.and(names.map((name) => this.find(name)?.label ?? nameInWords(name)));
  }
}

/** From the most special place to the most general: labels in the language, labels, model in the language, model. */
function inOrder<T extends object>(
  labels: (T & Translated<T>) | undefined,
  model: T & Translated<T>,
  language: Language,
): T[] {
  return [labels?.translations?.[language], labels, model.translations?.[language], model].filter(
    (place): place is T & object => place !== undefined,
  );
}

type Translated<T> = { readonly translations?: Readonly<Partial<Record<Language, T>>> };

/** A name may be that of a property of all objects. */
const ownOf = <T>(record: Readonly<Record<string, T>> | undefined, name: string): T | undefined =>
  record && Object.hasOwn(record, name) ? record[name] : undefined;

const firstName = (places: readonly (Readonly<Record<string, string>> | undefined)[], name: string) =>
  places.map((names) => ownOf(names, name)).find(Boolean);

function nameFeature(document: FeatureDocument, labels: FeatureLabels | undefined, language: Language): NamedFeature {
  const places = inOrder<FeatureLabels>(labels, document, language);
  const given = places.map((place) => place.label).find(Boolean);
  const label = nameInWords(document.name, given);
  const categoryNames = places.map(({ categoryLabels }) => categoryLabels);
  const categories = document.type === 'categorical' ? document.categories : [];
  return {
    document,
    isNamed: given !== undefined,
    label,
    title: label.replace(/^./u, (first) => first.toLocaleUpperCase(language)),
    unit: unitForms(
      places.map((place) => place.unit).find((unit) => unit !== undefined),
      language,
    ),
    categories: new Map(categories.map((name) => [name, firstName(categoryNames, name) ?? name])),
  };
}
