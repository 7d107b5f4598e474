/**
 * A policy's constraint in the form of the compiler: a conjunction of clauses, each a disjunction of linear atoms
 *
 *   AND over clauses ( OR over atoms ( lower <= Σ c_f · value(f) + Σ c_fk · [f = k] <= upper ) )
 *
 * where value(f) is the number, 0/1 for a boolean, the rank for an ordinal category. Negation is pushed down to the comparisons, `or` is
 * distributed over `and`. A clause of several atoms costs a mixed-integer solver binary variables. These rules keep the result small:
 *   - a clause of 0/1 literals only is one atom: a or not b or f in {k, l}  ->  a + (1 - b) + [f = k] + [f = l] >= 1, unless
 *     values may be missing;
 *   - literals of one feature in one clause become one literal; atoms that the features' domains decide are dropped;
 *   - single-atom clauses over the same sum are one interval: 0 <= x and x <= 5 is x in [0, 5];
 *   - a sum that can only be whole gets whole, non-strict ends: x < 5 is x <= 4.
 * Limit: distribution is exponential in the worst case; more than MAX_CLAUSES clauses are refused.
 */
import { LARGEST } from '../documents/numbers.js';
import { liesWithin, type SumEnds, toleranceOfTerms } from '../linalg/ends.js';
import { nearestDouble, negativeOf, ONE, quotientOf, type Rational, rationalOf, sumOf } from '../linalg/rationals.js';
import {
  type Comparator,
  type Connective,
  constantForm,
  type Expression,
  type ExpressionNode,
  type FeatureLike,
  featureForm,
  type LinearForm,
  Scope,
  subtractForms,
} from './expression.js';
import { parseExpression } from './expression-parser.js';

export { ExpressionError, type FeatureLike } from './expression.js';

const MAX_CLAUSES = 64;
/** relative; an end this close to a whole number counts as that number (0.3 / 0.1 is 3) */
const WHOLE_TOLERANCE = 2 ** -49;
/** The tolerance of an equation of continuous numbers, as a share of its terms: a solver meets it only up to rounding. */
const EQUATION_TOLERANCE = 1e-11;

interface Interval {
  lower: number;
  upper: number;
  lowerStrict: boolean;
  upperStrict: boolean;
}

/** Σ coefficients · value(feature) + Σ indicator coefficients · [feature = category] in [lower, upper] */
export interface LinearAtom extends Interval {
  terms: { feature: number; coefficient: number }[];
  indicators: { feature: number; category: number; coefficient: number }[];
  /** Some value may be any number: the sum then meets an end only up to rounding. */
  isContinuous: boolean;
}

/** At least one of the atoms holds. The list is never empty: a clause that never holds is the atom 0 >= 1. */
export interface Clause {
  atoms: LinearAtom[];
}

/** All clauses hold. An empty list always holds. */
export interface Constraint {
  text: string;
  clauses: Clause[];
}

/**
 * Throws ExpressionError. `mayMiss`: values may be missing. One value of `a or b` then decides while the other is missing, which a sum of
 * both cannot express.
 */
export function compileConstraint(text: string, features: readonly FeatureLike[], mayMiss = false): Constraint {
  const normaliser = new Normaliser(new Scope(text, features), mayMiss);
  return { text, clauses: normaliser.normalise(parseExpression(text)) };
}

/** `values` by feature: the number, 0/1 for a boolean, the category's index for both encodings of a categorical. */
export function holds(constraint: Constraint, values: ArrayLike<number>): boolean {
  return constraint.clauses.every(({ atoms }) => atoms.some((atom) => atomHolds(atom, values)));
}

export function endsOf({ terms, indicators, isContinuous, ...atom }: LinearAtom): SumEnds {
  const { lower, upper, lowerStrict, upperStrict } = atom;
  const isEquation = isContinuous && lower === upper;
  const tolerance = isEquation ? EQUATION_TOLERANCE : toleranceOfTerms(terms.length + indicators.length);
  const ends = { lower, upper, tolerance };
  return lowerStrict || upperStrict ? { ...ends, open: { lower: lowerStrict, upper: upperStrict } } : ends;
}

export function atomHolds(atom: LinearAtom, values: ArrayLike<number>): boolean {
  let sum = 0;
  let size = 0;
  for (const { feature, coefficient } of atom.terms) {
    sum += coefficient * values[feature];
    size += Math.abs(coefficient * values[feature]);
  }
  for (const { feature, category, coefficient } of atom.indicators) {
    if (values[feature] !== category) continue;
    sum += coefficient;
    size += Math.abs(coefficient);
  }
  return liesWithin(endsOf(atom), sum, size);
}

/** The value is one of the categories, or is none of them. A boolean's only category is 1. */
interface Literal {
  feature: number;
  categories: number[];
  positive: boolean;
}

/** A clause under construction: 0/1 literals, one per feature, and the other atoms by their content. */
interface Disjunction {
  literals: ReadonlyMap<number, Literal>;
  atoms: ReadonlyMap<string, LinearAtom>;
}

const ANY: Interval = { lower: -Infinity, upper: Infinity, lowerStrict: false, upperStrict: false };
const BELOW: Interval = { ...ANY, upper: 0, upperStrict: true };
const ABOVE: Interval = { ...ANY, lower: 0, lowerStrict: true };

/** left - right lies in one of these */
const DIFFERENCES: Record<Comparator, Interval[]> = {
  '<=': [{ ...ANY, upper: 0 }],
  '<': [BELOW],
  '>=': [{ ...ANY, lower: 0 }],
  '>': [ABOVE],
  '=': [{ ...ANY, lower: 0, upper: 0 }],
  '!=': [BELOW, ABOVE],
};
const COMPLEMENT: Record<Comparator, Comparator> = { '<=': '>', '<': '>=', '>=': '<', '>': '<=', '=': '!=', '!=': '=' };
const MIRROR: Record<Comparator, Comparator> = { '<=': '>=', '<': '>', '>=': '<=', '>': '<', '=': '=', '!=': '!=' };

/** Whether the left side is taken unnegated, and whether both sides must hold or one of them. */
const CONNECTIVES: Record<Connective, { left: boolean; both: boolean }> = {
  and: { left: true, both: true },
  or: { left: true, both: false },
  implies: { left: false, both: false },
};

/** Expression -> clauses. `positive` is false for the negation of the expression. */
class Normaliser {
  constructor(
    private readonly scope: Scope,
    private readonly mayMiss: boolean,
  ) {}

  normalise(expression: Expression): Clause[] {
    return this.condition(expression, true).map((disjunction) => this.finish(disjunction));
  }

  private condition(node: Expression, positive: boolean): Disjunction[] {
    switch (node.kind) {
      case 'not':
        return this.condition(node.operand, !positive);
      case 'connective':
        return this.connective(node, positive);
      case 'comparison':
        return this.comparison(node, positive ? node.operator : COMPLEMENT[node.operator]);
      case 'membership':
        return this.membership(node, positive !== node.negated);
      case 'name':
        return this.truth(node, positive);
      default:
        return this.scope.fail('expected a condition, found a value: compare it with something', node);
    }
  }

  private connective(node: ExpressionNode<'connective'>, positive: boolean): Disjunction[] {
    const { left, both } = CONNECTIVES[node.operator];
    const sides = [this.condition(node.left, positive === left), this.condition(node.right, positive)];
    return this.join(sides, positive === both, node);
  }

  private join(sides: Disjunction[][], both: boolean, node: { position: number }): Disjunction[] {
    const clauses = mergeIntervals(both ? sides.flat() : sides.reduce(distribute));
    if (clauses.length <= MAX_CLAUSES) return clauses;
    return this.scope.fail(`too complex (more than ${MAX_CLAUSES} clauses): split or simplify the constraint`, node);
  }

  /** A name alone: a boolean feature. */
  private truth(node: ExpressionNode<'name'>, positive: boolean): Disjunction[] {
    const meaning = this.scope.resolve(node);
    if ('constant' in meaning) return (meaning.constant === 1) === positive ? [] : unite([]);
    const { feature } = meaning;
    const { type } = this.scope.features[feature];
    if (type === 'boolean') return [literally({ feature, categories: [1], positive })];
    if (type === 'categorical') this.scope.failCategorical(feature, node);
    return this.scope.fail(`"${node.name}" is a number, not a condition: compare it with something`, node);
  }

  private comparison(node: ExpressionNode<'comparison'>, operator: Comparator): Disjunction[] {
    return (
      this.categoryTest(node.left, operator, node.right, node) ??
      this.categoryTest(node.right, MIRROR[operator], node.left, node) ??
      this.linearTest(this.scope.form(node.left), operator, this.scope.form(node.right), node)
    );
  }

  private linearTest(left: LinearForm, operator: Comparator, right: LinearForm, node: Expression): Disjunction[] {
    const difference = subtractForms(left, right);
    const numbers = [difference.constant, ...difference.terms.values()].map(nearestDouble);
    if (!numbers.every((number) => Math.abs(number) <= LARGEST)) {
      this.scope.fail(`the numbers are too large: at most ${LARGEST} in size`, node);
    }
    return this.anyOf(difference, DIFFERENCES[operator]);
  }

  /** A categorical feature compared with one of its categories. Undefined: the subject is a number. */
  private categoryTest(subject: Expression, operator: Comparator, object: Expression, node: Expression) {
    const feature = this.scope.categorical(subject);
    const category = feature === undefined ? undefined : this.scope.category(feature, object);
    if (feature === undefined || category === undefined) return undefined;
    if (this.scope.isOrdinal(feature)) {
      return this.linearTest(featureForm(feature), operator, constantForm(category), node);
    }
    if (operator === '=' || operator === '!=') {
      return [literally({ feature, categories: [category], positive: operator === '=' })];
    }
    return this.scope.fail(`"${this.scope.features[feature].name}" has no order: use =, != or in`, node);
  }

  private membership(node: ExpressionNode<'membership'>, positive: boolean): Disjunction[] {
    const feature = this.scope.categorical(node.operand);
    if (feature === undefined) return this.numberMembership(node, positive);
    const categories = node.members.map(
      (member) => this.scope.category(feature, member) ?? this.scope.failCategorical(feature, member),
    );
    return this.scope.isOrdinal(feature)
      ? this.anyOf(featureForm(feature), rankIntervals(categories, positive))
      : [literally({ feature, categories: [...new Set(categories)], positive })];
  }

  private numberMembership(
    { operand, members, position }: ExpressionNode<'membership'>,
    positive: boolean,
  ): Disjunction[] {
    const operator = positive ? '=' : '!=';
    const sides = members.map((member) =>
      this.comparison({ kind: 'comparison', operator, left: operand, right: member, position }, operator),
    );
    return this.join(sides, !positive, { position });
  }

  /** The clause that the form lies in one of the intervals. */
  private anyOf(form: LinearForm, intervals: Interval[]): Disjunction[] {
    const { features } = this.scope;
    const atoms = intervals.map((interval) => tighten(atomOf(form, interval, features), features));
    const decisions = atoms.map((atom) => decide(atom, features));
    if (decisions.includes(true)) return [];
    const open = atoms.filter((_, index) => decisions[index] === undefined);
    return unite(open.map((atom) => this.disjunctionOf(atom)));
  }

  /** An atom over one boolean that its domain does not decide is that boolean or its negation. */
  private disjunctionOf(atom: LinearAtom): Disjunction {
    const [{ feature }, ...others] = atom.terms;
    const isLiteral = others.length === 0 && this.scope.features[feature].type === 'boolean';
    return isLiteral
      ? literally({ feature, categories: [1], positive: atom.lower === 1 })
      : { literals: new Map(), atoms: new Map([[contentOf(atom), atom]]) };
  }

  private finish({ literals, atoms }: Disjunction): Clause {
    const all = [...literals.values()];
    const isSum = atoms.size === 0 && !this.mayMiss;
    const groups = isSum ? [all] : all.map((literal) => [literal]);
    return { atoms: [...groups.map((group) => this.literalSum(group)), ...atoms.values()] };
  }

  /** Σ positive literals + Σ (1 - negative literals) >= 1, with reversed signs when all are negative */
  private literalSum(literals: Literal[]): LinearAtom {
    const negatives = literals.filter(({ positive }) => !positive).length;
    const turned = negatives > 0 && negatives === literals.length;
    const end = turned ? { upper: negatives - 1 } : { lower: 1 - negatives };
    const atom: LinearAtom = { terms: [], indicators: [], isContinuous: false, ...ANY, ...end };
    for (const { feature, categories, positive } of literals) {
      const coefficient = positive === turned ? -1 : 1;
      if (this.scope.features[feature].type === 'boolean') atom.terms.push({ feature, coefficient });
      else atom.indicators.push(...categories.map((category) => ({ feature, category, coefficient })));
    }
    return atom;
  }
}

/** The runs of neighbouring ranks, or the gaps before, between and after them. */
function rankIntervals(ranks: number[], positive: boolean): Interval[] {
  const sorted = [...new Set(ranks)].sort((a, b) => a - b);
  const starts = sorted.filter((rank) => !sorted.includes(rank - 1));
  const ends = sorted.filter((rank) => !sorted.includes(rank + 1));
  if (positive) return starts.map((lower, run) => ({ ...ANY, lower, upper: ends[run] }));
  return [...starts, Infinity].map((start, gap) => ({
    ...ANY,
    lower: (ends[gap - 1] ?? -Infinity) + 1,
    upper: start - 1,
  }));
}

/**
 * form in interval, as terms in [lower, upper]; normalised to a positive first coefficient, or to 1 for a single term, so that equal atoms
 * match
 */
function atomOf(form: LinearForm, interval: Interval, features: readonly FeatureLike[]): LinearAtom {
  const sorted = [...form.terms].sort(([a], [b]) => a - b);
  const leading = sorted[0]?.[1] ?? ONE;
  const isTurned = leading.over < 0n;
  const divisor = sorted.length === 1 ? leading : isTurned ? negativeOf(ONE) : ONE;
  const scaled = (number: Rational): number => nearestDouble(quotientOf(number, divisor));
  const terms = sorted.map(([feature, coefficient]) => ({ feature, coefficient: scaled(coefficient) }));
  const [lower, upper] = [interval.lower, interval.upper].map((end) => {
    if (!Number.isFinite(end)) return isTurned ? -end : end;
    return scaled(sumOf(rationalOf(end), negativeOf(form.constant)));
  });
  const { lowerStrict, upperStrict } = interval;
  const isContinuous = terms.some(({ feature }) => isAnyNumber(features[feature]));
  const sum = { terms, indicators: [], isContinuous };
  return isTurned
    ? { ...sum, lower: upper, upper: lower, lowerStrict: upperStrict, upperStrict: lowerStrict }
    : { ...sum, lower, upper, lowerStrict, upperStrict };
}

const isAnyNumber = ({ type, decimals }: FeatureLike): boolean => type === 'continuous' && decimals === undefined;

/** A sum that can only be whole gets whole, non-strict ends. */
function tighten(atom: LinearAtom, features: readonly FeatureLike[]): LinearAtom {
  const { terms, lower, upper, lowerStrict, upperStrict } = atom;
  const isWhole = terms.every(
    (term) => features[term.feature].type !== 'continuous' && Number.isInteger(term.coefficient),
  );
  const isSafe = [lower, upper].every((end) => !Number.isFinite(end) || Math.abs(end) < Number.MAX_SAFE_INTEGER);
  if (!isWhole || !isSafe) return atom;
  return {
    ...atom,
    lower: -wholeBelow(-lower, lowerStrict) + 0,
    upper: wholeBelow(upper, upperStrict),
    lowerStrict: false,
    upperStrict: false,
  };
}

/** The largest whole number at or (strict) below the end. */
function wholeBelow(end: number, strict: boolean): number {
  const nearest = Math.round(end) + 0;
  const isNear = Math.abs(end - nearest) <= WHOLE_TOLERANCE * Math.max(1, Math.abs(end));
  if (!isNear) return Math.floor(end);
  return strict ? nearest - 1 : nearest;
}

/** Whether the atom holds for all values (true) or none (false) of its features' domains. */
function decide(atom: LinearAtom, features: readonly FeatureLike[]): boolean | undefined {
  const least = { sum: 0, size: 0 };
  const most = { sum: 0, size: 0 };
  for (const { feature, coefficient } of atom.terms) {
    const shares = domainOf(features[feature]).map((end) => coefficient * end);
    add(least, Math.min(...shares));
    add(most, Math.max(...shares));
  }
  if (atom.lower > atom.upper) return false;
  const ends = endsOf(atom);
  const [above, below] = [
    { ...ends, upper: Infinity },
    { ...ends, lower: -Infinity },
  ];
  const keeps = (side: SumEnds, { sum, size }: typeof least) => liesWithin(side, sum, size);
  if (!keeps(above, most) || !keeps(below, least)) return false;
  return keeps(above, least) && keeps(below, most) ? true : undefined;
}

function add(total: { sum: number; size: number }, share: number): void {
  total.sum += share;
  total.size += Math.abs(share);
}

/** A coefficient is never 0, so infinite ends are safe to multiply by it. */
function domainOf({ type, categories = [] }: FeatureLike): [number, number] {
  if (type === 'boolean') return [0, 1];
  return type === 'categorical' ? [0, categories.length - 1] : [-Infinity, Infinity];
}

function literally(literal: Literal): Disjunction {
  return { literals: new Map([[literal.feature, literal]]), atoms: new Map() };
}

/** One clause of all parts. Empty: the clause always holds. Without parts: a clause that never holds. */
function unite(parts: Disjunction[]): Disjunction[] {
  const literals = new Map<number, Literal>();
  for (const literal of parts.flatMap((part) => [...part.literals.values()])) {
    const other = literals.get(literal.feature);
    literals.set(literal.feature, other === undefined ? literal : either(other, literal));
  }
  const always = [...literals.values()].some(({ positive, categories }) => !positive && categories.length === 0);
  return always ? [] : [{ literals, atoms: new Map(parts.flatMap((part) => [...part.atoms])) }];
}

/** in A or in B: in A ∪ B; not in A or not in B: not in A ∩ B; not in A or in B: not in A \ B */
function either(a: Literal, b: Literal): Literal {
  if (a.positive && b.positive) return { ...a, categories: [...new Set([...a.categories, ...b.categories])] };
  if (a.positive) return either(b, a);
  const categories = a.categories.filter((category) => b.categories.includes(category) !== b.positive);
  return { ...a, categories };
}

function distribute(left: Disjunction[], right: Disjunction[]): Disjunction[] {
  return left.flatMap((a) => right.flatMap((b) => unite([a, b])));
}

/** Merges clauses of one atom over the same sum, unless the intersection is empty: the solver proves that. */
function mergeIntervals(clauses: Disjunction[]): Disjunction[] {
  const merged = new Map<string | Disjunction, Disjunction>();
  for (const clause of clauses) {
    const atom = onlyAtom(clause);
    const key = atom === undefined ? clause : JSON.stringify(atom.terms);
    const other = merged.get(key);
    const both = atom && other && intersect(onlyAtom(other)!, atom);
    if (both) merged.set(key, { ...clause, atoms: new Map([[contentOf(both), both]]) });
    else merged.set(other === undefined ? key : clause, clause);
  }
  return [...merged.values()];
}

function onlyAtom({ literals, atoms }: Disjunction): LinearAtom | undefined {
  return literals.size === 0 && atoms.size === 1 ? [...atoms.values()][0] : undefined;
}

function intersect(a: LinearAtom, b: LinearAtom): LinearAtom | undefined {
  const low = a.lower > b.lower || (a.lower === b.lower && a.lowerStrict) ? a : b;
  const high = a.upper < b.upper || (a.upper === b.upper && a.upperStrict) ? a : b;
  const { lower, lowerStrict } = low;
  const { upper, upperStrict } = high;
  const isEmpty = lowerStrict || upperStrict ? !(lower < upper) : !(lower <= upper);
  return isEmpty ? undefined : { ...a, lower, lowerStrict, upper, upperStrict };
}

function contentOf({ terms, lower, upper, lowerStrict, upperStrict }: LinearAtom): string {
  return JSON.stringify([terms, `${lower}`, `${upper}`, lowerStrict, upperStrict]);
}
