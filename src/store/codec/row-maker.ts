/**
 * Result documents as rows (result-row.ts). A document that does not follow the usual rules has no row and is stored as JSON. Reading
 * therefore always gives the exact line that `explain` writes.
 */
import type { RowValue } from '../../documents/model-document.js';
import type { CounterfactualDocument, LeverDocument, Proof, ResultDocument } from '../../documents/result-document.js';
import {
  type LeverShape,
  ResultRow,
  type RowAnswer,
  type RowFactual,
  type Shape,
  type Shown,
  type Terms,
  UNPROVED,
} from './result-row.js';

type Features = Readonly<Record<string, RowValue>>;

export class RowMaker {
  #terms: Terms | undefined;
  /** JSON of the parts that results share, by object: most results share the objects. */
  #tags = new WeakMap<object, string>();
  /** Shapes and sets are few, and equal rows share them. */
  readonly #shapes = new Map<string, Shape>();
  readonly #sets = new Map<string, readonly number[]>();

  /** Undefined: the document differs from the usual form of its plan. */
  make(document: ResultDocument): ResultRow | undefined {
    // A ladder of targets is rare, and is stored as JSON.
    if (document.targets || !this.#isUsual(document)) return undefined;
    const { id, elapsedMs, attempts, reason, reasons, levers } = document;
    const factual = document.factual ? this.#factualOf(document.factual) : undefined;
    const answers = this.#answersOf(document, factual);
    if (!answers) return undefined;
    const shape = intern(this.#shapes, this.#shapeKey(document), () => shapeOf(document));
    const times = attempts.map(({ ms }) => ms);
    const text = reason && JSON.stringify(reason);
    const leverReasons = levers ? levers.flatMap((lever) => (lever.reason ? [JSON.stringify(lever.reason)] : [])) : [];
    const costs = reasons && JSON.stringify(reasons);
    return new ResultRow(this.#terms!, shape, id, elapsedMs, times, text, factual, answers, leverReasons, costs);
  }

  /** Whether the document has the shared parts. */
  #isUsual(document: ResultDocument): boolean {
    const { schema, model, policy, defaults, seed, factual } = document;
    const isFirst = !this.#terms;
    this.#terms ??= { common: { schema, model, policy, defaults, seed }, names: [] };
    const { common } = this.#terms;
    if (schema !== common.schema || seed !== common.seed) return false;
    if (model !== common.model && this.#tag(model) !== this.#tag(common.model)) return false;
    if (policy !== common.policy && this.#tag(policy) !== this.#tag(common.policy)) return false;
    if (defaults !== common.defaults && JSON.stringify(defaults) !== JSON.stringify(common.defaults)) return false;
    if (!factual) return true;
    if (this.#terms.names.length === 0) this.#terms = { common, names: Object.keys(factual.features) };
    // results of one plan have the same features
    return (!isFirst && model === common.model) || hasFeatures(document, this.#terms.names);
  }

  #tag(object: object): string {
    const known = this.#tags.get(object) ?? JSON.stringify(object);
    this.#tags.set(object, known);
    return known;
  }

  #factualOf({ features, prediction, score }: NonNullable<ResultDocument['factual']>): RowFactual {
    return { values: this.#terms!.names.map((name) => features[name]), prediction: numberIn(prediction), score };
  }

  /** Undefined: some part does not follow from the features. */
  #answersOf({ counterfactuals }: ResultDocument, factual: RowFactual | undefined): RowAnswer[] | undefined {
    if (!factual) return counterfactuals.length ? undefined : [];
    const answers: RowAnswer[] = [];
    for (const counterfactual of counterfactuals) {
      const set = changedPlaces(this.#terms!.names, factual.values, counterfactual);
      if (!set || !isBounded(counterfactual.proof)) return undefined;
      answers.push(
        this.#answerOf(
          counterfactual,
          intern(this.#sets, String.fromCharCode(...set), () => set),
        ),
      );
    }
    return answers;
  }

  #answerOf(counterfactual: CounterfactualDocument, set: readonly number[]): RowAnswer {
    const { features, prediction, score, cost, distances, proof, region, path, plausibility } = counterfactual;
    const { names } = this.#terms!;
    return {
      set,
      values: set.map((f) => features[names[f]]),
      prediction: numberIn(prediction),
      score,
      cost,
      l1: distances.l1,
      l2: distances.l2,
      bound: proof.lowerBound === null ? undefined : { lower: proof.lowerBound, gap: proof.gap! },
      region: region && JSON.stringify(region),
      path: path && JSON.stringify(path),
      plausibility: plausibility && JSON.stringify(plausibility),
    };
  }

  /** Equal for two results exactly if their shapes are equal. */
  #shapeKey({
    status,
    target,
    factual,
    decision,
    counterfactuals,
    reason,
    reasons,
    levers,
    attempts,
    degraded,
    limitedBy,
  }: ResultDocument): string {
    let key = `${status} ${degraded} ${limitedBy} ${reason !== undefined} ${reasons !== undefined} ${counterfactuals.length} `;
    key += typeof target === 'object' && target ? this.#tag(target) : JSON.stringify(target);
    key += factual ? shownKey(factual.prediction) : '';
    if (decision) key += JSON.stringify(decision);
    for (const { prediction, solver, proof, region, band, lever, path, plausibility } of counterfactuals) {
      key += ` ${delimited(solver)} ${proof.kind} ${region !== undefined} ${shownKey(prediction)}${leverKey(lever)}`;
      if (band !== undefined) key += ` in ${JSON.stringify(band)}`;
      if (path) key += ' path';
      if (plausibility) key += ' plausibility';
    }
    for (const { lever, status, reason: own } of levers ?? [])
      key += `${leverKey(lever)} ${status} ${own !== undefined}`;
    for (const { solver, outcome } of attempts) key += ` ${delimited(solver)} ${outcome}`;
    return key;
  }
}

function intern<T>(known: Map<string, T>, key: string, make: () => T): T {
  const found = known.get(key);
  if (found !== undefined) return found;
  const made = make();
  known.set(key, made);
  return made;
}

const delimited = (text: string) => `${text.length} ${text}`;

const shownKey = (prediction: string | number) =>
  typeof prediction === 'number' ? ' number' : ` ${delimited(prediction)}`;

const leverKey = (lever: string | undefined) => (lever === undefined ? '' : ` by ${delimited(lever)}`);

const shownOf = (prediction: string | number): Shown =>
  typeof prediction === 'number' ? 'number' : { class: prediction };

const numberIn = (prediction: string | number) => (typeof prediction === 'number' ? prediction : undefined);

function shapeOf(result: ResultDocument): Shape {
  const { status, target, factual, decision, counterfactuals, reason, reasons, levers, attempts, degraded, limitedBy } =
    result;
  return {
    status,
    target,
    factual: factual && shownOf(factual.prediction),
    ...(decision && { decision }),
    counterfactuals: counterfactuals.map(({ prediction, solver, proof, region, band, lever, path, plausibility }) => ({
      shown: shownOf(prediction),
      solver,
      proof: proof.kind,
      hasRegion: region !== undefined,
      ...(band !== undefined && { band }),
      ...(lever !== undefined && { lever }),
      ...(path && { hasPath: true }),
      ...(plausibility && { hasPlausibility: true }),
    })),
    hasReason: reason !== undefined,
    ...(reasons && { hasReasons: true }),
    ...(levers && { levers: levers.map(leverShape) }),
    attempts: attempts.map(({ solver, outcome }) => ({ solver, outcome })),
    degraded,
    ...(limitedBy && { limitedBy }),
  };
}

const leverShape = ({ lever, status, reason }: LeverDocument): LeverShape => ({
  lever,
  status,
  hasReason: reason !== undefined,
});

function hasFeatures({ factual, counterfactuals }: ResultDocument, names: readonly string[]): boolean {
  return hasKeys(factual!.features, names) && counterfactuals.every(({ features }) => hasKeys(features, names));
}

/** Whether the features have exactly these names, in this order. */
function hasKeys(features: Features, names: readonly string[]): boolean {
  let f = 0;
  for (const name in features) if (names[f++] !== name) return false;
  return f === names.length;
}

/** Undefined: the changes are not exactly the differing values, in the order of the features. */
function changedPlaces(
  names: readonly string[],
  before: readonly RowValue[],
  { features, changes, distances }: CounterfactualDocument,
): number[] | undefined {
  const set: number[] = [];
  for (let f = 0; f < names.length; f++) {
    const name = names[f];
    if (features[name] === before[f]) continue;
    const change = changes[set.length];
    if (change?.feature !== name || change.from !== before[f] || change.to !== features[name]) return undefined;
    set.push(f);
  }
  return changes.length === set.length && distances.l0 === set.length ? set : undefined;
}

/** Whether a proof has both a bound and a gap, or neither and the kind without a bound. */
function isBounded({ kind, lowerBound, gap }: Proof): boolean {
  const isOpen = kind === UNPROVED;
  return (lowerBound === null) === isOpen && (gap === null) === isOpen;
}
