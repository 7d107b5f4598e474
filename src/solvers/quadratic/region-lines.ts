/**
 * A region of quadratics and rows along a straight line, in closed form:
 *
 *   T(x, v) = { t : q_i(x + t v) <= -depth_i,   lower_r <= a_r·(x + t v) <= upper_r }   a union of spans
 *
 * Each quadratic is a parabola in t and each row a line. Their roots bound T, whatever the units of the features. Depths are a share of the
 * terms at x. The model should confirm a point of T.
 */
import { dot } from '../../linalg/vector.js';
import type { Parabola } from '../../models/distance-difference.js';
import type { LinearRow } from '../../models/region.js';
import { atomsOf, type Problem } from '../../problems/problem.js';
import { depthOf, magnitude } from '../shared/linear-rows.js';

export interface Span {
  readonly low: number;
  readonly high: number;
}

const EVERYWHERE: readonly Span[] = [{ low: Number.NEGATIVE_INFINITY, high: Infinity }];

export class RegionLines {
  private readonly forms;
  private readonly regionRows: readonly LinearRow[];

  constructor(private readonly problem: Problem) {
    this.forms = atomsOf(problem, 'quadratic').map(({ form }) => form);
    this.regionRows = problem.piece.rows;
  }

  /** T(x, v), spans in ascending order. */
  spans(x: Float64Array, v: Float64Array, nudge: number): readonly Span[] {
    let spans = EVERYWHERE;
    for (const { a, lower, upper, depth } of this.ends(x, nudge)) {
      const [slope, value] = [dot(a, v), dot(a, x)];
      spans = common(spans, under({ bend: 0, slope, value: value - upper + depth }));
      spans = common(spans, under({ bend: 0, slope: -slope, value: lower + depth - value }));
    }
    for (const form of this.forms) {
      if (!spans.length) break;
      const parabola = form.along(x, v);
      spans = common(spans, under({ ...parabola, value: parabola.value + nudge * form.magnitude(x) }));
    }
    return spans;
  }

  private *ends(x: Float64Array, nudge: number): Generator<LinearRow & { depth: number }> {
    for (const row of this.regionRows) yield { ...row, depth: depthOf(row, x, nudge) };
    for (const row of this.problem.links) yield { ...row, depth: row.open ? depthOf(row, x, nudge) : 0 };
  }

  /** The largest share of its terms by which x misses a constraint. At most 0: x meets all of them. */
  miss(x: Float64Array): number {
    let most = Number.NEGATIVE_INFINITY;
    for (const form of this.forms) most = Math.max(most, form.value(x) / form.magnitude(x));
    for (const row of [...this.regionRows, ...this.problem.links]) {
      const activity = dot(row.a, x);
      most = Math.max(most, Math.max(row.lower - activity, activity - row.upper) / magnitude(row, x));
    }
    return most;
  }

  /**
   * The t at which a constraint is met or turns along x + t v. The best t for the worst constraint is one of these, or lies between two.
   */
  turns(x: Float64Array, v: Float64Array): number[] {
    const parabolas = this.forms.map((form) => form.along(x, v));
    const roots = parabolas.flatMap((parabola) => under(parabola).flatMap(({ low, high }) => [low, high]));
    const vertices = parabolas.map(({ bend, slope }) => -slope / (2 * bend));
    const lines = [...this.ends(x, 0)].flatMap(({ a, lower, upper }) => {
      const [slope, value] = [dot(a, v), dot(a, x)];
      return [(lower - value) / slope, (upper - value) / slope];
    });
    return [...roots, ...vertices, ...lines].filter(Number.isFinite);
  }
}

/** The spans where a parabola is at most 0. */
function under({ bend, slope, value }: Parabola): readonly Span[] {
  if (bend === 0) return slope === 0 ? (value <= 0 ? EVERYWHERE : []) : line(slope, value);
  const discriminant = slope * slope - 4 * bend * value;
  if (!(discriminant >= 0)) return bend < 0 && value <= 0 ? EVERYWHERE : [];
  // Both roots without cancellation: the second follows from their product.
  const sum = -0.5 * (slope + (slope < 0 ? -Math.sqrt(discriminant) : Math.sqrt(discriminant)));
  const [one, other] = [sum / bend, sum === 0 ? 0 : value / sum];
  const [low, high] = [Math.min(one, other), Math.max(one, other)];
  if (bend > 0) return [{ low, high }];
  return [
    { low: Number.NEGATIVE_INFINITY, high: low },
    { low: high, high: Infinity },
  ];
}

/** The span where a line is at most 0. */
const line = (slope: number, value: number): readonly Span[] =>
  slope > 0 ? [{ low: Number.NEGATIVE_INFINITY, high: -value / slope }] : [{ low: -value / slope, high: Infinity }];

function common(one: readonly Span[], other: readonly Span[]): readonly Span[] {
  if (one === EVERYWHERE) return other;
  const both: Span[] = [];
  for (const a of one) {
    for (const b of other) {
      const [low, high] = [Math.max(a.low, b.low), Math.min(a.high, b.high)];
      if (low <= high) both.push({ low, high });
    }
  }
  return both;
}
