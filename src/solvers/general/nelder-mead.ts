/**
 * The downhill simplex (Nelder and Mead 1965) on equation (1) as merit.ts has it. Several simplexes descend side by side, each with its own
 * C. A second round has values of C around the best C of the first round. The four points that a simplex may need next are evaluated together, and those of
 * all simplexes in one batch.
 *
 *   reflected  c + (c - w)     expanded  c + 2 (c - w)     contracted  c ± (c - w)/2      c: the centre without the worst point w
 */
import type { Solver } from '../solver.js';
import { generalSolver, polishBest, type SearchParts } from './general-search.js';
import { Merit } from './merit.js';
import type { Asked, Look } from './person-search.js';
import { SphereGrowth } from './sphere-growth.js';

/** The values of C in the first round. The second round lies around the best of them. */
const BRACKET = [2, 1, 0.5, 0.25, 0.125, 0.06, 0.03, 0.015];
const BISECTED = [0.7, 0.84, 1.2, 1.4];
const ROUNDS = 60;
const ROUNDS_PER_COLUMN = 6;
const POLISHED = 3;
/** The first edge length of a simplex, relative to the radius of the sphere. */
const EDGE = 0.3;
/** The positions of the four points on the line from the worst point through the centre. */
const MOVES = [1, 2, 0.5, -0.5];

function* descend(parts: SearchParts): Asked<void> {
  const { search, home } = parts;
  const { answers, radius } = yield* new SphereGrowth(search).grow();
  const found = [...answers];
  const start = answers.length ? search.best.x.slice() : home.x;
  const merit = new Merit(search, home, search.costOf(start) || 1);
  if (!merit.columns.length || search.isOver) return;
  const edge = EDGE * radius;
  const bracket = yield* sideBySide(merit, BRACKET, start, edge, found);
  const best = cheapestAnswer(parts, bracket);
  if (best) {
    const strengths = BISECTED.map((factor) => factor * best.strength);
    yield* sideBySide(merit, strengths, best.top.look!.x, edge / 2, found);
  }
  yield* polishBest(parts, found, POLISHED);

  function* sideBySide(of: Merit, strengths: readonly number[], from: Float64Array, size: number, into: Look[]) {
    const simplexes = strengths.map((strength) => new Simplex(of, strength, from, size));
    const rounds = ROUNDS + ROUNDS_PER_COLUMN * of.columns.length;
    for (let k = 0; k < rounds && !search.isOver; k++) {
      const batches = simplexes.map((simplex) => simplex.wanted());
      const looks = yield* of.ask(batches.flat());
      let next = 0;
      for (const [s, simplex] of simplexes.entries()) {
        const own = looks.slice(next, next + batches[s].length);
        simplex.learn(batches[s], own);
        next += own.length;
      }
      for (const look of looks) if (look?.isAnswer) into.push(look);
      if (simplexes.every((simplex) => simplex.isSmall)) break;
    }
    return simplexes;
  }
}

function cheapestAnswer({ search }: SearchParts, simplexes: readonly Simplex[]): Simplex | undefined {
  const withAnswer = simplexes.filter(({ top }) => top.look?.isAnswer);
  return withAnswer.reduce<Simplex | undefined>(
    (a, b) => (a && search.costOf(a.top.look!.x) <= search.costOf(b.top.look!.x) ? a : b),
    undefined,
  );
}

interface Vertex {
  readonly y: Float64Array;
  readonly look: Look | null;
  readonly value: number;
}

class Simplex {
  private vertices: Vertex[] = [];
  private first: Float64Array[];

  constructor(
    private readonly merit: Merit,
    readonly strength: number,
    start: Float64Array,
    private readonly edge: number,
  ) {
    const base = new Float64Array(merit.columns.length);
    merit.read(start, base);
    this.first = [base, ...merit.columns.map((_, j) => base.with(j, base[j] + (base[j] > 0 ? -edge : edge)))];
  }

  get top(): Vertex {
    return this.vertices[0];
  }

  /** True if the vertices are so close that the simplex has converged. */
  get isSmall(): boolean {
    const worst = this.vertices.at(-1);
    return worst !== undefined && this.top.y.every((value, j) => Math.abs(value - worst.y[j]) < 1e-5 * this.edge);
  }

  wanted(): Float64Array[] {
    if (this.first.length) return this.first;
    const worst = this.vertices.at(-1)!.y;
    const centre = this.centre();
    return MOVES.map((move) => centre.map((value, j) => value + move * (value - worst[j])));
  }

  private centre(): Float64Array {
    const others = this.vertices.slice(0, -1);
    return this.top.y.map((_, j) => others.reduce((sum, { y }) => sum + y[j], 0) / others.length);
  }

  learn(points: readonly Float64Array[], looks: readonly (Look | null)[]): void {
    const asked = points.map((y, k) => ({ y, look: looks[k], value: this.merit.of(looks[k], this.strength) }));
    if (this.first.length) {
      this.first = [];
      this.vertices = asked;
    } else this.replaceWorst(asked);
    this.vertices.sort((a, b) => a.value - b.value);
  }

  private replaceWorst([reflected, expanded, outside, inside]: Vertex[]): void {
    const worst = this.vertices.at(-1)!;
    const second = this.vertices.at(-2)!;
    const contracted = reflected.value < worst.value ? outside : inside;
    if (reflected.value < this.top.value)
      this.vertices[this.vertices.length - 1] = expanded.value < reflected.value ? expanded : reflected;
    else if (reflected.value < second.value) this.vertices[this.vertices.length - 1] = reflected;
    else if (contracted.value < Math.min(worst.value, reflected.value))
      this.vertices[this.vertices.length - 1] = contracted;
    else this.first = this.shrunk();
  }

  /** Shrinks: moves all vertices half of the way to the best vertex. They are evaluated next. */
  private shrunk(): Float64Array[] {
    const best = this.top.y;
    return this.vertices.map(({ y }) => y.map((value, j) => best[j] + 0.5 * (value - best[j])));
  }
}

export const nelderMead: Solver = generalSolver('nelder-mead', descend, () => 'by-name');
