/**
 * Result documents as columns. A result says the same thing many times (keys, names, digests, each number of a row up to three
 * times), and results of one plan are much alike. What is kept of a row:
 *
 *   shape          all that is text: status, target, predictions, solvers, what is proved. Few of them, listed once.
 *   numbers        features, score, times; of a counterfactual the features that change, cost, bound, distances
 *   text of its own  id; reason and region as JSON
 *
 * `changes` follow from the features, the distances from the changes, and a bound is near its cost: these are guessed and the
 * difference is kept, which is mostly zero (number-column.ts). A document of which anything does not follow as it
 * should is kept as JSON, so `JSON.stringify` of what is read is the very line that `explain` writes, always.
 */
import type { RowValue } from '../documents/model-document.js';
import type { Attempt, CounterfactualDocument, Proof, ResultDocument } from '../documents/result-document.js';
import { ByteReader, ByteWriter } from './byte-streams.js';
import { NumberColumn, NumberReader } from './number-column.js';
import { ValueColumn, ValueReader } from './value-column.js';

type Features = Readonly<Record<string, RowValue>>;

/** Of a prediction: its class, or that it is a number. */
type Shown = { readonly class: string } | 'number';

interface Shape {
  readonly status: ResultDocument['status'];
  readonly target: ResultDocument['target'];
  readonly factual: Shown | null;
  readonly counterfactuals: readonly CounterfactualShape[];
  readonly hasReason: boolean;
  readonly attempts: readonly Omit<Attempt, 'ms'>[];
  readonly degraded: boolean;
}

interface CounterfactualShape {
  readonly shown: Shown;
  readonly solver: string;
  readonly proof: Proof['kind'];
  readonly hasRegion: boolean;
}

/** What all results of a plan have in common. */
type Common = Pick<ResultDocument, 'schema' | 'model' | 'policy' | 'seed'>;

interface Header {
  readonly rows: number;
  readonly common: Common | null;
  readonly names: readonly string[];
  /** null: the document is kept as JSON. */
  readonly shapes: readonly (Shape | null)[];
  /** Of features that change, by their place among the names. */
  readonly changeSets: readonly (readonly number[])[];
  readonly ids: readonly string[];
  /** Reasons, regions and whole documents as JSON, in the order in which they are needed. */
  readonly texts: readonly string[];
}

/** The columns of numbers, in the order in which they are written. */
const NUMBERS = [
  ...['shape', 'prediction', 'score', 'elapsedMs', 'attemptMs'],
  ...['changeSet', 'cost', 'l1', 'l2', 'lowerBound', 'gap'],
] as const;
type NumberName = (typeof NUMBERS)[number];

/** The proof that has no bound. */
const UNPROVED = { kind: 'heuristic', lowerBound: null, gap: null } as const;

export class ResultColumns {
  rows = 0;
  #common: Common | undefined;
  /** JSON of what results have in common, by the objects that hold it: most results share them. */
  #tags = new WeakMap<object, string>();
  #names: string[] | undefined;
  readonly #shapes = new Dictionary<Shape | null>();
  readonly #changeSets = new Dictionary<readonly number[]>();
  readonly #ids: string[] = [];
  readonly #texts: string[] = [];
  readonly #numbers = Object.fromEntries(NUMBERS.map((name) => [name, new NumberColumn()])) as Record<
    NumberName,
    NumberColumn
  >;
  #factual: ValueColumn[] = [];
  #changed: ValueColumn[] = [];

  add(result: ResultDocument): void {
    this.rows++;
    const sets = this.#isUsual(result) ? this.#changeSetsOf(result) : undefined;
    if (sets) this.#addUsual(result, sets);
    else {
      this.#numbers.shape.push(this.#shapes.number('', () => null));
      this.#texts.push(JSON.stringify(result));
    }
  }

  write(): Buffer {
    const out = new ByteWriter();
    const header: Header = {
      rows: this.rows,
      common: this.#common ?? null,
      names: this.#names ?? [],
      shapes: this.#shapes.entries,
      changeSets: this.#changeSets.entries,
      ids: this.#ids,
      texts: this.#texts,
    };
    out.text(JSON.stringify(header));
    for (const name of NUMBERS) {
      out.uint32(this.#numbers[name].length);
      this.#numbers[name].write(out);
    }
    for (const column of [...this.#factual, ...this.#changed]) column.write(out);
    return out.bytes;
  }

  /** Has it what all have in common? */
  #isUsual(result: ResultDocument): boolean {
    const { schema, model, policy, seed, factual } = result;
    const known = this.#common;
    const common = known ?? { schema, model, policy, seed };
    this.#common = common;
    if (schema !== common.schema || seed !== common.seed) return false;
    if (model !== common.model && this.#tag(model) !== this.#tag(common.model)) return false;
    if (policy !== common.policy && this.#tag(policy) !== this.#tag(common.policy)) return false;
    if (!factual) return true;
    if (!this.#names) this.#nameFeatures(Object.keys(factual.features));
    return model === known?.model || hasFeatures(result, this.#names!); // what one plan made has the same features
  }

  #tag(object: object): string {
    const known = this.#tags.get(object) ?? JSON.stringify(object);
    this.#tags.set(object, known);
    return known;
  }

  #nameFeatures(names: string[]): void {
    this.#names = names;
    this.#factual = names.map(() => new ValueColumn());
    this.#changed = names.map(() => new ValueColumn());
  }

  /** The features that each counterfactual changes; undefined when something does not follow from the features. */
  #changeSetsOf({ factual, counterfactuals }: ResultDocument): number[][] | undefined {
    if (!factual) return counterfactuals.length ? undefined : [];
    const sets: number[][] = [];
    for (const counterfactual of counterfactuals) {
      const set = changeSetOf(this.#names!, factual.features, counterfactual);
      if (!set || !isBounded(counterfactual.proof)) return undefined;
      sets.push(set);
    }
    return sets;
  }

  #addUsual(result: ResultDocument, sets: readonly (readonly number[])[]): void {
    const { factual, counterfactuals, reason, attempts } = result;
    const numbers = this.#numbers;
    numbers.shape.push(this.#shapes.number(this.#shapeKey(result), () => shapeOf(result)));
    this.#ids.push(result.id);
    numbers.elapsedMs.push(result.elapsedMs);
    for (const { ms } of attempts) numbers.attemptMs.push(ms);
    if (reason) this.#texts.push(JSON.stringify(reason));
    if (!factual) return;
    const names = this.#names!;
    for (let f = 0; f < names.length; f++) this.#factual[f].push(factual.features[names[f]]);
    this.#addStanding(factual);
    for (let i = 0; i < counterfactuals.length; i++)
      this.#addCounterfactual(factual.features, counterfactuals[i], sets[i]);
  }

  #addStanding({ prediction, score }: { prediction: string | number; score: number }): void {
    if (typeof prediction === 'number') this.#numbers.prediction.push(prediction);
    this.#numbers.score.push(score);
  }

  #addCounterfactual(factual: Features, counterfactual: CounterfactualDocument, set: readonly number[]): void {
    const { features, cost, distances, proof, region } = counterfactual;
    const numbers = this.#numbers;
    numbers.changeSet.push(this.#changeSets.number(String.fromCharCode(...set), () => set));
    for (const f of set) this.#changed[f].push(features[this.#names![f]]);
    this.#addStanding(counterfactual);
    const guess = guessDistances(this.#names!, factual, features, set);
    numbers.l1.push(distances.l1, guess.l1);
    numbers.l2.push(distances.l2, guess.l2);
    numbers.cost.push(cost);
    if (proof.lowerBound !== null) {
      numbers.lowerBound.push(proof.lowerBound, cost);
      numbers.gap.push(proof.gap!);
    }
    if (region) this.#texts.push(JSON.stringify(region));
  }

  /** The same for two results exactly when their shapes are. */
  #shapeKey({ status, target, factual, counterfactuals, reason, attempts, degraded }: ResultDocument): string {
    let key = `${status} ${degraded} ${reason !== undefined} ${counterfactuals.length} `;
    key += typeof target === 'object' && target ? this.#tag(target) : JSON.stringify(target);
    key += factual ? shownKey(factual.prediction) : '';
    for (const { prediction, solver, proof, region } of counterfactuals)
      key += ` ${delimited(solver)} ${proof.kind} ${region !== undefined} ${shownKey(prediction)}`;
    for (const { solver, outcome } of attempts) key += ` ${delimited(solver)} ${outcome}`;
    return key;
  }
}

const delimited = (text: string) => `${text.length} ${text}`;

const shownKey = (prediction: string | number) =>
  typeof prediction === 'number' ? ' number' : ` ${delimited(prediction)}`;

const shownOf = (prediction: string | number): Shown =>
  typeof prediction === 'number' ? 'number' : { class: prediction };

function shapeOf({ status, target, factual, counterfactuals, reason, attempts, degraded }: ResultDocument): Shape {
  return {
    status,
    target,
    factual: factual && shownOf(factual.prediction),
    counterfactuals: counterfactuals.map(({ prediction, solver, proof, region }) => ({
      shown: shownOf(prediction),
      solver,
      proof: proof.kind,
      hasRegion: region !== undefined,
    })),
    hasReason: reason !== undefined,
    attempts: attempts.map(({ solver, outcome }) => ({ solver, outcome })),
    degraded,
  };
}

/** Things that are few, each with a number. */
class Dictionary<T> {
  readonly entries: T[] = [];
  readonly #numbers = new Map<string, number>();

  number(key: string, make: () => T): number {
    const known = this.#numbers.get(key);
    if (known !== undefined) return known;
    this.#numbers.set(key, this.entries.length);
    return this.entries.push(make()) - 1;
  }
}

function hasFeatures({ factual, counterfactuals }: ResultDocument, names: readonly string[]): boolean {
  return hasKeys(factual!.features, names) && counterfactuals.every(({ features }) => hasKeys(features, names));
}

/** These and no others, in this order. */
function hasKeys(features: Features, names: readonly string[]): boolean {
  let f = 0;
  for (const name in features) if (names[f++] !== name) return false;
  return f === names.length;
}

/** Undefined when the changes are not just what differs, in the features' order. */
function changeSetOf(names: readonly string[], before: Features, after: CounterfactualDocument): number[] | undefined {
  const { features, changes, distances } = after;
  const set: number[] = [];
  for (let f = 0; f < names.length; f++) {
    const name = names[f];
    if (features[name] === before[name]) continue;
    const change = changes[set.length];
    if (change?.feature !== name || change.from !== before[name] || change.to !== features[name]) return undefined;
    set.push(f);
  }
  return changes.length === set.length && distances.l0 === set.length ? set : undefined;
}

/** Either with a bound and a gap, or with neither and for the reason that goes with it. */
function isBounded({ kind, lowerBound, gap }: Proof): boolean {
  const isOpen = kind === UNPROVED.kind;
  return (lowerBound === null) === isOpen && (gap === null) === isOpen;
}

/** As result documents measure them, as far as numbers tell. */
function guessDistances(names: readonly string[], before: Features, after: Features, set: readonly number[]) {
  let l1 = 0;
  let squares = 0;
  for (const f of set) {
    const [from, to] = [before[names[f]], after[names[f]]];
    const delta = typeof from === 'number' && typeof to === 'number' ? Math.abs(to - from) : 1;
    l1 += delta;
    squares += delta * delta;
  }
  return { l1, l2: Math.sqrt(squares) };
}

/** The documents of a block, in order. */
export function* readResults(bytes: Buffer): Generator<ResultDocument> {
  const reader = new DocumentReader(bytes);
  for (let row = 0; row < reader.header.rows; row++) yield reader.next();
}

class DocumentReader {
  readonly header: Header;
  readonly #numbers: Record<NumberName, NumberReader>;
  readonly #factual: readonly ValueReader[];
  readonly #changed: readonly ValueReader[];
  #ids = 0;
  #texts = 0;

  constructor(bytes: Buffer) {
    const input = new ByteReader(bytes);
    this.header = JSON.parse(input.text());
    const numbers = NUMBERS.map((name) => [name, new NumberReader(input, input.uint32())]);
    this.#numbers = Object.fromEntries(numbers) as Record<NumberName, NumberReader>;
    this.#factual = this.header.names.map(() => new ValueReader(input));
    this.#changed = this.header.names.map(() => new ValueReader(input));
  }

  next(): ResultDocument {
    const shape = this.header.shapes[this.#numbers.shape.next()];
    return shape ? this.#usual(shape) : this.#json();
  }

  /** In the order of keys in which results are made. */
  #usual(shape: Shape): ResultDocument {
    const { status, target, degraded, hasReason } = shape;
    const { schema, model, policy, seed } = this.header.common!;
    const id = this.header.ids[this.#ids++];
    const elapsedMs = this.#numbers.elapsedMs.next();
    const attempts = shape.attempts.map((attempt) => ({ ...attempt, ms: this.#numbers.attemptMs.next() }));
    const reason = hasReason ? this.#json<ResultDocument['reason']>() : undefined;
    const factual = shape.factual && this.#readFactual(shape.factual);
    const counterfactuals = shape.counterfactuals.map((one) => this.#counterfactual(factual!.features, one));
    const head = { schema, id, status, model, policy, target, factual, counterfactuals };
    return { ...head, reason, attempts, degraded, seed, elapsedMs };
  }

  #json<T = ResultDocument>(): T {
    return JSON.parse(this.header.texts[this.#texts++]);
  }

  #readFactual(shown: Shown): NonNullable<ResultDocument['factual']> {
    const features: Record<string, RowValue> = {};
    for (const [f, name] of this.header.names.entries()) features[name] = this.#factual[f].next();
    return { features, ...this.#standing(shown) };
  }

  #standing(shown: Shown): { prediction: string | number; score: number } {
    const prediction = shown === 'number' ? this.#numbers.prediction.next() : shown.class;
    return { prediction, score: this.#numbers.score.next() };
  }

  #counterfactual(before: Features, shape: CounterfactualShape): CounterfactualDocument {
    const { names, changeSets } = this.header;
    const numbers = this.#numbers;
    const set = changeSets[numbers.changeSet.next()];
    const features = { ...before };
    for (const f of set) features[names[f]] = this.#changed[f].next();
    const changes = set.map((f) => ({ feature: names[f], from: before[names[f]], to: features[names[f]] }));
    const standing = this.#standing(shape.shown);
    const guess = guessDistances(names, before, features, set);
    const distances = { l0: set.length, l1: numbers.l1.next(guess.l1), l2: numbers.l2.next(guess.l2) };
    const cost = numbers.cost.next();
    const proof = this.#proof(shape.proof, cost);
    const counterfactual = { features, ...standing, changes, cost, distances, solver: shape.solver, proof };
    return shape.hasRegion ? { ...counterfactual, region: this.#json() } : counterfactual;
  }

  #proof(kind: Proof['kind'], cost: number): Proof {
    if (kind === UNPROVED.kind) return UNPROVED;
    return { kind, lowerBound: this.#numbers.lowerBound.next(cost), gap: this.#numbers.gap.next() };
  }
}
