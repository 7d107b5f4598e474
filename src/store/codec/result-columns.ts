/**
 * Rows of results (result-row.ts) as columns: one column for each feature and for each kind of number. Equal text is stored once for all
 * rows. The distances of an answer follow from its values, and a bound is near its cost. Both are guessed, and the difference is kept,
 * which is mostly zero (number-column.ts).
 */
import type { ResultDocument } from '../../documents/result-document.js';
import { ByteReader, ByteWriter } from './byte-streams.js';
import { NumberColumn, NumberReader } from './number-column.js';
import { lineOf } from './result-line.js';
import {
  type AnswerShape,
  guessDistances,
  ResultRow,
  type RowAnswer,
  type RowFactual,
  type Shape,
  type Shown,
  type Terms,
  UNPROVED,
} from './result-row.js';
import { RowMaker } from './row-maker.js';
import { ValueColumn, ValueReader } from './value-column.js';

interface Header {
  readonly rows: number;
  readonly terms: Terms | null;
  /** Null: the document is stored as JSON. */
  readonly shapes: readonly (Shape | null)[];
  readonly changeSets: readonly (readonly number[])[];
  readonly ids: readonly string[];
  /** Reasons, regions, paths, plausibilities and whole documents as JSON, in the order of reading. */
  readonly texts: readonly string[];
}

/** The columns of numbers, in the order in which they are written. */
const NUMBERS = [
  ...['shape', 'prediction', 'score', 'elapsedMs', 'attemptMs'],
  ...['changeSet', 'cost', 'l1', 'l2', 'lowerBound', 'gap'],
] as const;
type NumberName = (typeof NUMBERS)[number];

export class ResultColumns {
  rows = 0;
  readonly #maker = new RowMaker();
  #terms: Terms | undefined;
  /** For the last terms: whether they equal ours. */
  #lastTerms: { readonly terms: Terms; readonly areOurs: boolean } | undefined;
  readonly #shapes = new Numbering<Shape | null>();
  readonly #changeSets = new Numbering<readonly number[]>();
  readonly #ids: string[] = [];
  readonly #texts: string[] = [];
  readonly #numbers = Object.fromEntries(NUMBERS.map((name) => [name, new NumberColumn()])) as Record<
    NumberName,
    NumberColumn
  >;
  #factual: ValueColumn[] = [];
  #changed: ValueColumn[] = [];

  add(result: ResultDocument | ResultRow): void {
    this.rows++;
    const row = result instanceof ResultRow ? result : this.#maker.make(result);
    if (row && this.#areOurs(row.terms)) this.#addRow(row);
    else {
      this.#numbers.shape.push(this.#shapes.number(null));
      this.#texts.push(result instanceof ResultRow ? lineOf(result) : JSON.stringify(result));
    }
  }

  write(): Buffer {
    const out = new ByteWriter();
    const header: Header = {
      rows: this.rows,
      terms: this.#terms ?? null,
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

  /** Rows come from documents and from other columns, so terms are compared by content. */
  #areOurs(terms: Terms): boolean {
    if (terms === this.#lastTerms?.terms) return this.#lastTerms.areOurs;
    this.#terms ??= { common: terms.common, names: [] };
    const { common, names } = this.#terms;
    const areOurs =
      JSON.stringify(terms.common) === JSON.stringify(common) &&
      (names.length === 0 || terms.names.length === 0 || JSON.stringify(terms.names) === JSON.stringify(names));
    this.#lastTerms = { terms, areOurs };
    if (areOurs && names.length === 0) this.#nameFeatures({ common, names: terms.names });
    return areOurs;
  }

  #nameFeatures(terms: Terms): void {
    this.#terms = terms;
    this.#factual = terms.names.map(() => new ValueColumn());
    this.#changed = terms.names.map(() => new ValueColumn());
  }

  #addRow({ shape, id, elapsedMs, attemptMs, reason, factual, answers, leverReasons, reasons }: ResultRow): void {
    const numbers = this.#numbers;
    numbers.shape.push(this.#shapes.number(shape));
    this.#ids.push(id);
    numbers.elapsedMs.push(elapsedMs);
    for (const ms of attemptMs) numbers.attemptMs.push(ms);
    if (reason !== undefined) this.#texts.push(reason);
    if (reasons !== undefined) this.#texts.push(reasons);
    this.#texts.push(...leverReasons);
    if (!factual) return;
    const { values } = factual;
    for (let f = 0; f < values.length; f++) this.#factual[f].push(values[f]);
    this.#addStanding(factual);
    for (const answer of answers) this.#addAnswer(values, answer);
  }

  #addStanding({ prediction, score }: Pick<RowFactual, 'prediction' | 'score'>): void {
    if (prediction !== undefined) this.#numbers.prediction.push(prediction);
    this.#numbers.score.push(score);
  }

  #addAnswer(before: RowFactual['values'], answer: RowAnswer): void {
    const { set, values, cost, l1, l2, bound, region, path, plausibility } = answer;
    const numbers = this.#numbers;
    numbers.changeSet.push(this.#changeSets.number(set));
    for (let i = 0; i < set.length; i++) this.#changed[set[i]].push(values[i]);
    this.#addStanding(answer);
    const guess = guessDistances(before, set, values);
    numbers.l1.push(l1, guess.l1);
    numbers.l2.push(l2, guess.l2);
    numbers.cost.push(cost);
    if (bound) {
      numbers.lowerBound.push(bound.lower, cost);
      numbers.gap.push(bound.gap);
    }
    if (region !== undefined) this.#texts.push(region);
    if (path !== undefined) this.#texts.push(path);
    if (plausibility !== undefined) this.#texts.push(plausibility);
  }
}

/** Numbers for objects that many rows share, by identity. Equal objects may be listed twice, which costs a few bytes. */
class Numbering<T> {
  readonly entries: T[] = [];
  readonly #numbers = new Map<T, number>();

  number(entry: T): number {
    const known = this.#numbers.get(entry);
    if (known !== undefined) return known;
    this.#numbers.set(entry, this.entries.length);
    return this.entries.push(entry) - 1;
  }
}

/** Returns the results of a block in sequence. */
export class ResultReader {
  readonly rows: number;
  readonly #header: Header;
  readonly #numbers: Record<NumberName, NumberReader>;
  readonly #factual: readonly ValueReader[];
  readonly #changed: readonly ValueReader[];
  #ids = 0;
  #texts = 0;

  constructor(bytes: Buffer) {
    const input = new ByteReader(bytes);
    this.#header = JSON.parse(input.text());
    this.rows = this.#header.rows;
    const numbers = NUMBERS.map((name) => [name, new NumberReader(input, input.uint32())]);
    this.#numbers = Object.fromEntries(numbers) as Record<NumberName, NumberReader>;
    const names = this.#header.terms?.names ?? [];
    this.#factual = names.map(() => new ValueReader(input));
    this.#changed = names.map(() => new ValueReader(input));
  }

  /** A row, or the line itself if the result is stored as a line. */
  next(): ResultRow | string {
    const shape = this.#header.shapes[this.#numbers.shape.next()];
    return shape ? this.#row(shape) : this.#text();
  }

  #row(shape: Shape): ResultRow {
    const id = this.#header.ids[this.#ids++];
    const elapsedMs = this.#numbers.elapsedMs.next();
    const attemptMs = shape.attempts.map(() => this.#numbers.attemptMs.next());
    const reason = shape.hasReason ? this.#text() : undefined;
    const reasons = shape.hasReasons ? this.#text() : undefined;
    const leverReasons = shape.levers ? shape.levers.filter(({ hasReason }) => hasReason).map(() => this.#text()) : [];
    const factual = shape.factual ? this.#readFactual(shape.factual) : undefined;
    const answers = shape.counterfactuals.map((one) => this.#answer(factual!.values, one));
    const { terms } = this.#header;
    return new ResultRow(terms!, shape, id, elapsedMs, attemptMs, reason, factual, answers, leverReasons, reasons);
  }

  #text(): string {
    return this.#header.texts[this.#texts++];
  }

  #readFactual(shown: Shown): RowFactual {
    const values = this.#factual.map((column) => column.next());
    return { values, ...this.#standing(shown) };
  }

  #standing(shown: Shown): Pick<RowFactual, 'prediction' | 'score'> {
    const prediction = shown === 'number' ? this.#numbers.prediction.next() : undefined;
    return { prediction, score: this.#numbers.score.next() };
  }

  #answer(before: RowFactual['values'], shape: AnswerShape): RowAnswer {
    const { shown, proof, hasRegion, hasPath, hasPlausibility } = shape;
    const numbers = this.#numbers;
    const set = this.#header.changeSets[numbers.changeSet.next()];
    const values = set.map((f) => this.#changed[f].next());
    const { prediction, score } = this.#standing(shown);
    const guess = guessDistances(before, set, values);
    const [l1, l2, cost] = [numbers.l1.next(guess.l1), numbers.l2.next(guess.l2), numbers.cost.next()];
    const bound = proof === UNPROVED ? undefined : { lower: numbers.lowerBound.next(cost), gap: numbers.gap.next() };
    const region = hasRegion ? this.#text() : undefined;
    const path = hasPath ? this.#text() : undefined;
    const plausibility = hasPlausibility ? this.#text() : undefined;
    return { set, values, prediction, score, cost, l1, l2, bound, region, path, plausibility };
  }
}
