/** What the reader of a kind of model knows beside its element, and the part of a document that it gives. */
import type { ModelDocument } from '../../documents/model-document.js';
import { didYouMean } from '../../documents/nearest-name.js';
import type { ImportChoices } from '../choices.js';
import type { PmmlColumns } from './fields/columns.js';
import { DataDictionary } from './fields/data-dictionary.js';
import { parseScalar, type ValueType } from './fields/scalar.js';
import type { XmlElement } from './xml/xml-element.js';

export interface ModelContext extends PmmlColumns {
  /** Null: a regressor. */
  readonly classes: Classes | null;
  readonly choices: ImportChoices;
}

export type DocumentPart = Pick<ModelDocument, 'family' | 'parameters' | 'features'> &
  Partial<Pick<ModelDocument, 'classes' | 'preprocessing' | 'decision' | 'description'>>;

/** The classes of the target, found by the texts of the file. */
export class Classes {
  readonly names: readonly string[];

  constructor(
    texts: readonly string[],
    private readonly type: ValueType,
    element: XmlElement,
  ) {
    this.names = [...new Set(texts.map((text) => this.nameOf(text, element)))];
    if (this.names.length < 2)
      throw element.fault(`a classifier has two or more classes, and the file names ${this.names.length}`);
  }

  indexOf(text: string, element: XmlElement): number {
    const index = this.names.indexOf(this.nameOf(text, element));
    if (index >= 0) return index;
    throw element.fault(`there is no class "${text.slice(0, 60)}"${didYouMean(text, this.names)}`);
  }

  private nameOf(text: string, element: XmlElement): string {
    return String(parseScalar(text, this.type, element));
  }
}

/** Elements that name classes, and the attributes that do. */
const NAMES_OF_CLASSES: ReadonlyMap<string, readonly string[]> = new Map([
  ['RegressionTable', ['targetCategory']],
  ['PCell', ['targetCategory']],
  ['GeneralRegressionModel', ['targetReferenceCategory']],
  ['ScoreDistribution', ['value']],
  ['TargetValueCount', ['value']],
  ['TargetValueStat', ['value']],
  ['SupportVectorMachine', ['targetCategory', 'alternateTargetCategory']],
  ['Node', ['score']],
]);

export type MiningFunction = 'classification' | 'regression';

export function taskOf(model: XmlElement): MiningFunction {
  const task = model.needs('functionName');
  if (task === 'classification' || task === 'regression') return task;
  throw model.refusal(`the function "${task.slice(0, 40)}"; known are classification and regression`);
}

/** The classes in the order of the DataDictionary, else of the model. */
export function readClasses(root: XmlElement, model: XmlElement): Classes | null {
  if (taskOf(model) === 'regression') return null;
  const targets = targetsOf(model);
  if (targets.length > 1) throw model.refusal(`a model of ${targets.length} targets: write one model for each`);
  const field = targets.length ? new DataDictionary(root).find(targets[0]) : undefined;
  const listed = field?.words ?? [];
  return new Classes(listed.length ? listed : namedClasses(model), field?.type ?? 'string', model);
}

export const targetsOf = (model: XmlElement): XmlElement[] =>
  model
    .needed('MiningSchema')
    .all('MiningField')
    .filter((field) => ['target', 'predicted'].includes(field.get('usageType') ?? ''));

function namedClasses(model: XmlElement): string[] {
  return [...descendantsOf(model)].flatMap((element) =>
    (NAMES_OF_CLASSES.get(element.name) ?? []).flatMap((key) => element.get(key) ?? []),
  );
}

export function* descendantsOf(top: XmlElement): Iterable<XmlElement> {
  const open = [top];
  for (let next = open.pop(); next; next = open.pop()) {
    yield next;
    for (let k = next.children.length - 1; k >= 0; k--) open.push(next.children[k]);
  }
}

/** Arithmetic in 32 bits, an extension that boosters need. */
export const isSingle = (model: XmlElement): boolean =>
  model.word('x-mathContext', ['double', 'float'] as const) === 'float';

/** The result of a regressor as the Targets element changes it: factor x result + constant. */
export interface Rescaling {
  readonly factor: number;
  readonly constant: number;
}

export function readRescaling(model: XmlElement): Rescaling {
  const [target, ...others] = model.child('Targets')?.all('Target') ?? [];
  if (others.length) throw model.refusal('several targets: write one model for each');
  if (!target) return { factor: 1, constant: 0 };
  for (const key of ['castInteger', 'min', 'max'])
    if (target.get(key) !== undefined)
      throw target.refusal(
        `a result that is rounded or cut off (${key}): leave the attribute out and round afterwards`,
      );
  return { factor: target.number('rescaleFactor', 1), constant: target.number('rescaleConstant', 0) };
}
