/**
 * The functions of the step `monotone`, as documented, their slopes and their inverses.
 *
 *   log1p         log(1 + x)
 *   box-cox       (x^p - 1) / p,  log x for p = 0
 *   yeo-johnson   ((1 + x)^p - 1) / p for x >= 0,  -((1 - x)^(2 - p) - 1) / (2 - p) for x < 0
 *
 * Below its domain a function is -Infinity. `terms` is the size of the terms that a value was made of.
 */
export type CurveName = 'log1p' | 'box-cox' | 'yeo-johnson';

export interface CurvePoint {
  value: number;
  slope: number;
  terms: number;
}

const BELOW: CurvePoint = { value: Number.NEGATIVE_INFINITY, slope: 0, terms: 0 };

/** (u^p - 1) / p for u > 0. */
function power(u: number, p: number): CurvePoint {
  if (p === 0) return { value: Math.log(u), slope: 1 / u, terms: Math.abs(Math.log(u)) + 1 };
  const raised = Math.exp(p * Math.log(u));
  return {
    value: (raised - 1) / p,
    slope: raised / u,
    terms: (raised * (1 + Math.abs(p * Math.log(u))) + 1) / Math.abs(p),
  };
}

const raise = (t: number, p: number): number => (p === 0 ? Math.exp(t) : (p * t + 1) ** (1 / p));

export function curveAt(name: CurveName | null, p: number, x: number): CurvePoint {
  if (name === null || Number.isNaN(x)) return { value: x, slope: 1, terms: 0 };
  if (name === 'box-cox') return x > 0 ? power(x, p) : BELOW;
  if (name === 'log1p') return x > -1 ? { ...power(1 + x, 0), value: Math.log1p(x) } : BELOW;
  if (x >= 0) return power(1 + x, p);
  const { value, slope, terms } = power(1 - x, 2 - p);
  return { value: -value, slope, terms };
}

/** The number with the given value; not finite: there is none. */
export function inverseOf(name: CurveName | null, p: number, t: number): number {
  if (name === null) return t;
  if (name === 'log1p') return Math.expm1(t);
  if (name === 'box-cox') return raise(t, p);
  return t >= 0 ? raise(t, p) - 1 : 1 - raise(-t, 2 - p);
}
