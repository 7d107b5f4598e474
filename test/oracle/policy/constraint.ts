/**
 * The policy's conditions, read and evaluated anew: text -> a function of a row that says yes, no, or near, where two numbers
 * differ by no more than rounding. Decimals whose sums are equal are no matter of rounding: 0.1 + 0.2 < 0.3 is false.
 *
 *   implies (right to left)  <  or  <  and  <  not  <  comparisons (chains) and in  <  + -  <  * /  <  sign
 */
import { type FeatureSpec, kindOf } from '../evaluate/features.js';
import { atLeastZero, both, certain, either, negate, type Verdict } from '../evaluate/verdict.js';
import { type Fraction, fractionOf } from './decimal.js';

export type Condition = (values: ArrayLike<number>) => Verdict;

interface Quantity {
  value: number;
  /** Sum of the sizes of its terms. */
  size: number;
}

type Values = ArrayLike<number>;

interface Formula {
  of(values: Values): Quantity;
  /** Null: some number has too many digits to be read as a decimal. Slow. */
  exactly(values: Values): Fraction | null;
}

/** A number, a condition, or a name that is one of a categorical feature's. */
type Term =
  | { kind: 'number'; formula: Formula }
  | { kind: 'condition'; of: Condition }
  | { kind: 'category'; feature: number }
  | { kind: 'label'; name: string };

/** Two sides that differ by less, relative to the size of their terms, may be meant to be equal. */
const SLACK = 1e-9;

const TOKEN =
  /\s*(?:(\d+\.?\d*(?:[eE][-+]?\d+)?|\.\d+(?:[eE][-+]?\d+)?)|([\p{L}_][\p{L}\p{N}_]*)|"((?:[^"]|"")*)"|(<=|>=|==|!=|[-+*/()<>=,]))/uy;

type Token = { kind: 'number' | 'name' | 'text' | 'symbol'; text: string };

function tokens(text: string): Token[] {
  const list: Token[] = [];
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < text.trimEnd().length) {
    const match = TOKEN.exec(text);
    if (!match) throw new Error(`the oracle cannot read the constraint "${text}"`);
    const [, number, name, quoted, symbol] = match;
    if (number !== undefined) list.push({ kind: 'number', text: number });
    else if (name !== undefined) list.push({ kind: 'name', text: name });
    else if (quoted !== undefined) list.push({ kind: 'text', text: quoted.replaceAll('""', '"') });
    else list.push({ kind: 'symbol', text: symbol });
  }
  return list;
}

export function readConstraint(text: string, features: readonly FeatureSpec[]): Condition {
  return new Reader(tokens(text), features).read();
}

class Reader {
  private at = 0;

  constructor(
    private readonly list: readonly Token[],
    private readonly features: readonly FeatureSpec[],
  ) {}

  read(): Condition {
    const term = this.implication();
    if (this.at < this.list.length) throw new Error(`unexpected ${this.list[this.at].text}`);
    return this.condition(term);
  }

  private take(...texts: string[]): string | undefined {
    const token = this.list[this.at];
    if (!token || token.kind === 'text' || !texts.includes(token.text)) return undefined;
    this.at++;
    return token.text;
  }

  private implication(): Term {
    const left = this.disjunction();
    if (!this.take('implies')) return left;
    const [a, b] = [this.condition(left), this.condition(this.implication())];
    return { kind: 'condition', of: (values) => either(negate(a(values)), b(values)) };
  }

  private disjunction(): Term {
    let left = this.conjunction();
    while (this.take('or')) {
      const [a, b] = [this.condition(left), this.condition(this.conjunction())];
      left = { kind: 'condition', of: (values) => either(a(values), b(values)) };
    }
    return left;
  }

  private conjunction(): Term {
    let left = this.negation();
    while (this.take('and')) {
      const [a, b] = [this.condition(left), this.condition(this.negation())];
      left = { kind: 'condition', of: (values) => both(a(values), b(values)) };
    }
    return left;
  }

  private negation(): Term {
    if (!this.take('not')) return this.relation();
    const inner = this.condition(this.negation());
    return { kind: 'condition', of: (values) => negate(inner(values)) };
  }

  private relation(): Term {
    let left = this.sum();
    const turned = this.take('not') !== undefined;
    if (this.take('in')) return this.membership(left, turned);
    let chain: Condition | undefined;
    for (let sign = this.comparator(); sign; sign = this.comparator()) {
      const right = this.sum();
      const link = this.comparison(left, sign, right);
      const before = chain;
      chain = before ? (values) => both(before(values), link(values)) : link;
      left = right;
    }
    return chain ? { kind: 'condition', of: chain } : left;
  }

  private comparator(): string | undefined {
    return this.take('<=', '<', '>=', '>', '=', '==', '!=');
  }

  private membership(subject: Term, turned: boolean): Term {
    this.take('(');
    const members: Condition[] = [];
    do members.push(this.comparison(subject, '=', this.sum()));
    while (this.take(','));
    this.take(')');
    const among: Condition = (values) => members.reduce<Verdict>((v, member) => either(v, member(values)), 'no');
    return { kind: 'condition', of: turned ? (values) => negate(among(values)) : among };
  }

  private sum(): Term {
    let left = this.product();
    for (let sign = this.take('+', '-'); sign; sign = this.take('+', '-')) {
      const [a, b] = [this.quantity(left), this.quantity(this.product())];
      const factor = sign === '+' ? 1 : -1;
      left = { kind: 'number', formula: plus(a, b, factor) };
    }
    return left;
  }

  private product(): Term {
    let left = this.signed();
    for (let sign = this.take('*', '/'); sign; sign = this.take('*', '/')) {
      const [a, b] = [this.quantity(left), this.quantity(this.signed())];
      const divides = sign === '/';
      left = { kind: 'number', formula: times(a, b, divides) };
    }
    return left;
  }

  private signed(): Term {
    if (!this.take('-')) return this.primary();
    const inner = this.quantity(this.signed());
    return {
      kind: 'number',
      formula: plus(
        numberFormula(() => 0),
        inner,
        -1,
      ),
    };
  }

  private primary(): Term {
    if (this.take('(')) {
      const inner = this.implication();
      this.take(')');
      return inner;
    }
    const { kind, text } = this.list[this.at++];
    if (kind === 'number') return constant(Number(text));
    if (kind === 'text') return { kind: 'label', name: text };
    const feature = this.features.findIndex(({ name }) => name === text);
    if (feature < 0)
      return text === 'true' || text === 'false' ? constant(+(text === 'true')) : { kind: 'label', name: text };
    if (this.features[feature].type === 'categorical') return { kind: 'category', feature };
    return { kind: 'number', formula: featureFormula(feature) };
  }

  private quantity(term: Term): Formula {
    if (term.kind === 'number') return term.formula;
    if (term.kind === 'category') return featureFormula(term.feature);
    throw new Error('expected a number');
  }

  /** A number alone is a boolean feature; what a missing one means is left open, as in comparisons. */
  private condition(term: Term): Condition {
    if (term.kind === 'condition') return term.of;
    const number = this.quantity(term);
    return (values) => {
      const { value } = number.of(values);
      return Number.isNaN(value) ? 'near' : certain(value === 1);
    };
  }

  private comparison(left: Term, sign: string, right: Term): Condition {
    if (left.kind === 'category' && right.kind === 'label') return this.categoryTest(left.feature, sign, right.name);
    if (left.kind === 'label' && right.kind === 'category')
      return this.categoryTest(right.feature, MIRRORED[sign] ?? sign, left.name);
    const difference = plus(this.quantity(left), this.quantity(right), -1);
    return (values) => compare(difference, values, sign);
  }

  private categoryTest(feature: number, sign: string, name: string): Condition {
    const spec = this.features[feature];
    const place = spec.categories!.indexOf(name);
    if (kindOf(spec) === 'ordinal') {
      const difference = numberFormula((values) => values[feature] - place);
      return (values) => compare(difference, values, sign);
    }
    return (values) => certain((values[feature] === place) === (sign !== '!='));
  }
}

const MIRRORED: Record<string, string> = { '<=': '>=', '<': '>', '>=': '<=', '>': '<' };

const numberFormula = (read: (values: Values) => number): Formula => ({
  of: (values) => ({ value: read(values), size: Math.abs(read(values)) }),
  exactly: (values) => fractionOf(read(values)),
});

const featureFormula = (feature: number): Formula => numberFormula((values) => values[feature]);

const constant = (value: number): Term => ({ kind: 'number', formula: numberFormula(() => value) });

const plus = (a: Formula, b: Formula, factor: 1 | -1): Formula => ({
  of: (values) => {
    const [x, y] = [a.of(values), b.of(values)];
    return { value: x.value + factor * y.value, size: x.size + y.size };
  },
  exactly: (values) => {
    const [x, y] = [a.exactly(values), b.exactly(values)];
    return x && y && { n: x.n * y.d + BigInt(factor) * y.n * x.d, d: x.d * y.d };
  },
});

const times = (a: Formula, b: Formula, divides: boolean): Formula => ({
  of: (values) => {
    const [x, y] = [a.of(values), b.of(values)];
    return {
      value: divides ? x.value / y.value : x.value * y.value,
      size: divides ? x.size / y.size : x.size * y.size,
    };
  },
  exactly: (values) => {
    const [x, y] = [a.exactly(values), b.exactly(values)];
    return x && y && (divides ? { n: x.n * y.d, d: x.d * y.n } : { n: x.n * y.n, d: x.d * y.d });
  },
});

/** difference (sign) 0; the contract does not say what a condition on a missing value means. */
function compare(difference: Formula, values: Values, sign: string): Verdict {
  const { value, size } = difference.of(values);
  if (Number.isNaN(value)) return 'near';
  const isTie = Math.abs(value) <= SLACK * size && difference.exactly(values)?.n === 0n;
  const [least, error] = isTie ? [0, 0] : [value, SLACK * size];
  if (sign === '<=') return atLeastZero(-least, error);
  if (sign === '>=') return atLeastZero(least, error);
  if (sign === '<') return atLeastZero(-least, error, true);
  if (sign === '>') return atLeastZero(least, error, true);
  const equal = Math.abs(least) > error ? 'no' : error > 0 ? 'near' : 'yes';
  return sign === '!=' ? negate(equal) : equal;
}
