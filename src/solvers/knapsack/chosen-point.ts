/** The point of a choice of options, in columns. Each number is a value of the domain. */
import type { Domain } from '../../policy/domain.js';
import { nearestValue } from '../../policy/values.js';
import type { Problem } from '../../problems/problem.js';
import { moveWithGain } from './completion.js';
import { INTERVAL, type Menu, POINT } from './menu.js';

/** A move that is taken back keeps this share. */
const LEAST = 1e-6;

export class ChosenPoint {
  private readonly x: Float64Array;
  private readonly items: number[] = [];
  private readonly moves: number[] = [];
  private domain!: Domain;

  constructor(
    private readonly problem: Problem,
    private readonly menu: Menu,
  ) {
    this.x = new Float64Array(problem.space.columns);
  }

  begin(domain: Domain): void {
    this.domain = domain;
    this.items.length = this.moves.length = 0;
  }

  take(item: number, move: number): void {
    this.items.push(item);
    this.moves.push(move);
  }

  /** `excess`: the gain that moves may give back, because their size costs nothing. */
  write(excess: number): Float64Array {
    const { x, items, moves, menu } = this;
    x.set(this.domain.origin);
    let spare = excess;
    for (const [k, i] of items.entries()) {
      if (menu.kind[i] === POINT) this.writeValue(menu.feature[i], menu.value[i]);
      else {
        const move = spare > 0 ? this.takenBack(i, moves[k], spare) : moves[k];
        spare -= menu.gainAt(i, moves[k]) - menu.gainAt(i, move);
        this.writeMove(i, move);
      }
    }
    return x;
  }

  private takenBack(i: number, move: number, spare: number): number {
    const { menu } = this;
    const least = menu.step[i] > 0 ? menu.step[i] : LEAST * move;
    const wanted = moveWithGain(menu, i, menu.gainAt(i, move) - spare);
    const steps = menu.step[i] > 0 ? Math.floor((move - wanted) / menu.step[i]) * menu.step[i] : move - wanted;
    return Math.max(least, move - Math.max(0, steps));
  }

  private writeValue(f: number, value: number): void {
    if (Number.isNaN(value)) return;
    const { kind, column, width } = this.problem.space.features[f];
    if (kind === 'choice') this.x.fill(0, column, column + width)[column + value] = 1;
    else this.x[column] = value;
  }

  private writeMove(i: number, move: number): void {
    const { menu, domain, x } = this;
    const feature = this.problem.space.features[menu.feature[i]];
    const { column } = feature;
    if (move === 0) return;
    const wanted = domain.origin[column] + menu.side[i] * move;
    x[column] =
      menu.kind[i] === INTERVAL
        ? Math.min(domain.upper[column], Math.max(domain.lower[column], wanted))
        : nearestValue(domain, feature, wanted);
  }
}
