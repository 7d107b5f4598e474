/**
 * Where not everything can be tried: random starts, each pulled back towards the person as far as it stays an answer. What is found
 * refutes a claim; finding nothing proves nothing.
 */
import type { Dice } from '../../support/dice.js';
import { isSame } from '../evaluate/features.js';
import { snap, type Values } from '../policy/values.js';
import type { Question } from '../question.js';
import { edgeValues } from './breakpoints.js';
import type { Knowledge } from './knowledge.js';

const STARTS = 60;
const ROUNDS = 4;
const HALVINGS = 60;
/** Distances that differ by less, relative to themselves, refute no claim. */
const FINE = 1e-12;

export function searchAnswers(question: Question, dice: Dice, hints: readonly Float64Array[]): Knowledge {
  return new Hunt(question, dice).run(hints);
}

class Hunt {
  private best = Infinity;
  private point: Float64Array | null = null;
  private readonly edges: number[][];
  private readonly open: number[];

  constructor(
    private readonly question: Question,
    private readonly dice: Dice,
  ) {
    this.edges = question.features.map((feature, f) => edgeValues(question, feature, f));
    this.open = question.values.flatMap((values, f) => (values.kind === 'list' && !values.values.length ? [] : [f]));
  }

  run(hints: readonly Float64Array[]): Knowledge {
    if (this.open.length) {
      for (const hint of hints) this.tryStart(hint);
      for (const f of this.open) this.scan(f);
      for (let k = 0; k < STARTS; k++) this.tryStart(this.draw());
      for (let k = 0; k < STARTS && this.point; k++) this.tryStart(this.perturb(this.point));
    }
    return { exact: false, best: this.best, point: this.point, bestNear: Infinity };
  }

  private isAnswer(point: Float64Array): boolean {
    return this.question.isAnswer(point) === 'yes';
  }

  private tryStart(start: Float64Array): void {
    if (!this.question.allowsChanges(start) || !this.isAnswer(start)) return;
    const point = start.slice();
    for (let round = 0; round < ROUNDS; round++) {
      const before = this.question.costOf(point);
      for (const f of this.dice.shuffle(this.open)) this.pull(point, f);
      if (this.question.costOf(point) >= before * (1 - 1e-12)) break;
    }
    const cost = this.question.costOf(point);
    if (cost < this.best && this.question.allowsChanges(point)) [this.best, this.point] = [cost, point];
  }

  /** One feature back to where it was, or as near as it gets. */
  private pull(point: Float64Array, f: number): void {
    const { question } = this;
    const there = point[f];
    const here = question.factual[f];
    if (isSame(there, here)) return;
    const cost = question.costOf(point);
    const keeps = (value: number) => {
      point[f] = value;
      return question.costOf(point) < cost && this.isAnswer(point);
    };
    if (keeps(here)) return;
    const values = question.values[f];
    if (values.kind === 'list') point[f] = this.pullListed(values.values, there, keeps, question.baseline[f]);
    else point[f] = this.halve(values, question.baseline[f], there, keeps);
  }

  private pullListed(
    values: readonly number[],
    there: number,
    keeps: (value: number) => boolean,
    from: number,
  ): number {
    const nearer = values.filter((value) => Math.abs(value - from) < Math.abs(there - from) || value !== there);
    const sorted = nearer.sort((a, b) => Math.abs(a - from) - Math.abs(b - from)).slice(0, 60);
    return sorted.find(keeps) ?? there;
  }

  private halve(values: Values, from: number, there: number, keeps: (value: number) => boolean): number {
    let [bad, good] = [from, there];
    for (let k = 0; k < HALVINGS; k++) {
      const middle = snap(values, bad + (good - bad) / 2);
      if (middle === bad || middle === good || Math.abs(good - bad) <= FINE * Math.abs(good - from)) break;
      if (keeps(middle)) good = middle;
      else bad = middle;
    }
    return good;
  }

  /** One feature alone, at ever larger distances to each side; of values in a row that are answers the first is enough. */
  private scan(f: number): void {
    const { question } = this;
    const point = question.factual.slice();
    const from = question.baseline[f];
    const ladder = [...new Set(this.ladder(f))].sort((a, b) => a - b);
    for (const side of [ladder.filter((value) => value >= from), ladder.filter((value) => value < from).reverse()]) {
      let before = false;
      for (const value of side) {
        point[f] = value;
        const holds = this.isAnswer(point);
        if (holds && !before) this.tryStart(point);
        before = holds;
      }
    }
  }

  private ladder(f: number): number[] {
    const values = this.question.values[f];
    if (values.kind === 'list') return values.values.slice(0, 200);
    const from = this.question.baseline[f];
    const ends = [values.low, values.high].filter(Number.isFinite);
    const unit = Math.max(Math.abs(from), 1e-12);
    const offsets = Array.from({ length: 40 }, (_, k) => unit * 2 ** (k - 16)).flatMap((d) => [from + d, from - d]);
    return [...ends, ...this.edges[f], ...offsets].map((value) => snap(values, value));
  }

  private draw(): Float64Array {
    const point = this.question.factual.slice();
    const share = this.dice.pick([0.3, 0.6, 1]);
    for (const f of this.open) if (this.dice.chance(share)) point[f] = this.drawValue(f);
    return point;
  }

  private drawValue(f: number): number {
    const { dice, question } = this;
    const values = question.values[f];
    if (values.kind === 'list') return dice.pick(values.values);
    const from = question.baseline[f];
    const ends = [values.low, values.high].filter(Number.isFinite);
    if (ends.length && dice.chance(0.35)) return snap(values, dice.pick(ends));
    if (this.edges[f].length && dice.chance(0.5)) return snap(values, dice.pick(this.edges[f]));
    if (ends.length === 2 && dice.chance(0.5)) return snap(values, dice.between(ends[0], ends[1]));
    const unit = Math.max(Math.abs(from), 1e-9);
    return snap(values, from + dice.pick([-1, 1]) * unit * 2 ** dice.between(-20, 30));
  }

  /** Near the best: some of its features moved a little, outwards or inwards. */
  private perturb(point: Float64Array): Float64Array {
    const moved = point.slice();
    const size = 2 ** this.dice.between(-12, 0);
    for (const f of this.open) {
      if (!this.dice.chance(0.6)) continue;
      const values = this.question.values[f];
      if (values.kind === 'list') {
        if (this.dice.chance(0.3)) moved[f] = this.dice.pick([this.question.factual[f], ...values.values]);
      } else {
        const from = this.question.baseline[f];
        const reach =
          Number.isNaN(moved[f]) || moved[f] === from ? Math.max(Math.abs(from), 1e-9) : Math.abs(moved[f] - from);
        moved[f] = snap(values, (Number.isNaN(moved[f]) ? from : moved[f]) + this.dice.between(-1, 1) * size * reach);
      }
    }
    return moved;
  }
}
