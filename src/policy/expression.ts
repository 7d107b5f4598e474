/**
 * The policy's expression language: its grammar, its tree, and the meaning of names and arithmetic over given features.
 *
 *   expression  = disjunction [ "implies" expression ] ;
 *   disjunction = conjunction { "or" conjunction } ;
 *   conjunction = negation { "and" negation } ;
 *   negation    = "not" negation | relation ;
 *   relation    = sum { comparator sum }                               (a chain means each neighbouring pair)
 *               | sum [ "not" ] "in" "(" sum { "," sum } ")" ;
 *   sum         = product { ( "+" | "-" ) product } ;
 *   product     = signed { ( "*" | "/" ) signed } ;
 *   signed      = "-" signed | primary ;
 *   primary     = number | name | text | "(" expression ")" ;
 *   comparator  = "<=" | "<" | ">=" | ">" | "=" | "==" | "!=" ;
 *   number      = digits [ "." [ digits ] ] [ exponent ] | "." digits [ exponent ] ;
 *   name        = letter or "_" { letter, digit or "_" }               (a feature or a category)
 *               | "`" { any, a backtick doubled } "`" ;                (always a feature)
 *   text        = '"' { any, a quote doubled } '"' | "'" ... "'" ;     (always a category)
 *
 * One grammar for numbers and conditions, since "(" may open either: the Scope below reads the numbers, constraint.ts
 * the conditions. Arithmetic is linear: a product needs a side without features, a divisor has none.
 */
import { didYouMean } from '../documents/nearest-name.js';
import {
  nearestDouble,
  negativeOf,
  ONE,
  productOf,
  quotientOf,
  type Rational,
  rationalOf,
  sumOf,
  ZERO,
} from '../linalg/rationals.js';

export interface FeatureLike {
  name: string;
  type: 'continuous' | 'integer' | 'boolean' | 'categorical';
  encoding?: 'one-hot' | 'ordinal';
  categories?: readonly string[];
  decimals?: number;
}

export type Comparator = '<=' | '<' | '>=' | '>' | '=' | '!=';
export type Connective = 'and' | 'or' | 'implies';
export type ArithmeticOperator = '+' | '-' | '*' | '/';

/** `position`: the position that a message about the node points to, its operator or the token itself. */
export type Expression =
  | { kind: 'number'; value: number; position: number }
  | { kind: 'name'; name: string; quoted: boolean; position: number }
  | { kind: 'text'; value: string; position: number }
  | { kind: 'negative'; operand: Expression; position: number }
  | { kind: 'arithmetic'; operator: ArithmeticOperator; left: Expression; right: Expression; position: number }
  | { kind: 'comparison'; operator: Comparator; left: Expression; right: Expression; position: number }
  | { kind: 'membership'; operand: Expression; members: Expression[]; negated: boolean; position: number }
  | { kind: 'not'; operand: Expression; position: number }
  | { kind: 'connective'; operator: Connective; left: Expression; right: Expression; position: number };

export type ExpressionNode<Kind extends Expression['kind']> = Extract<Expression, { kind: Kind }>;

/** Σ coefficient · value(feature) + constant; terms by feature, none of them 0. Exact: 0.1 + 0.2 is 0.3. */
export interface LinearForm {
  terms: ReadonlyMap<number, Rational>;
  constant: Rational;
}

/** An invalid expression. `reason` is the message in one line, `message` adds the text with a caret under `position`. */
export class ExpressionError extends Error {
  override readonly name = 'ExpressionError';

  constructor(
    readonly reason: string,
    readonly position: number,
    readonly text: string,
  ) {
    super(`${reason}\n${pointAt(text, position)}`);
  }
}

/** The line that contains the position, and a caret below it. Tabs are kept so that the caret stays aligned. */
function pointAt(text: string, position: number): string {
  const start = text.lastIndexOf('\n', position - 1) + 1;
  const line = text.slice(start).split('\n', 1)[0];
  const indent = text.slice(start, position).replace(/[^\t]/gu, ' ');
  return `  ${line}\n  ${indent}^`;
}

/** Names that mean a number unless a feature or a category has the same name. */
/** The fault of a text where a number is needed. A text with spaces may be meant as the name of a feature. */
export function textAsNumber(text: string): string {
  const hint = /\W/.test(text) ? `; write the name of a feature in backticks: \`${text}\`` : '';
  return `"${text}" is text: only a categorical feature can be compared with it${hint}`;
}

export const CONSTANTS: ReadonlyMap<string, number> = new Map([
  ['true', 1],
  ['false', 0],
]);
const LISTED_CATEGORIES = 8;

/** By feature, filled when a constraint first refers to the feature. */
type CategoryIndices = Map<number, ReadonlyMap<string, number>>;

interface Names {
  readonly features: ReadonlyMap<string, number>;
  readonly categories: CategoryIndices;
}

/** Cached, because a policy may have many constraints over the same features. */
const knownNames = new WeakMap<readonly FeatureLike[], Names>();

function namesOf(features: readonly FeatureLike[]): Names {
  let names = knownNames.get(features);
  if (!names) {
    names = { features: new Map(features.map(({ name }, index) => [name, index])), categories: new Map() };
    knownNames.set(features, names);
  }
  return names;
}

/** The features of an expression. Features and categories are given by index. */
export class Scope {
  private readonly indices: ReadonlyMap<string, number>;
  private readonly categoryIndices: CategoryIndices;

  constructor(
    private readonly text: string,
    readonly features: readonly FeatureLike[],
  ) {
    const names = namesOf(features);
    this.indices = names.features;
    this.categoryIndices = names.categories;
  }

  /** The feature or the constant that a name stands for. */
  resolve(node: ExpressionNode<'name'>): { feature: number } | { constant: number } {
    const feature = this.indices.get(node.name);
    if (feature !== undefined) return { feature };
    const constant = node.quoted ? undefined : CONSTANTS.get(node.name);
    if (constant !== undefined) return { constant };
    return this.fail(`unknown feature "${node.name}"${didYouMean(node.name, this.indices.keys())}`, node);
  }

  /** The categorical feature that a node names. Undefined: it names none. */
  categorical(node: Expression): number | undefined {
    const feature = node.kind === 'name' ? this.indices.get(node.name) : undefined;
    return feature !== undefined && this.features[feature].type === 'categorical' ? feature : undefined;
  }

  isOrdinal(feature: number): boolean {
    return this.features[feature].encoding === 'ordinal';
  }

  /** The category that a node names. Undefined: the node is a number to compare with an ordinal's rank. */
  category(feature: number, node: Expression): number | undefined {
    const isLabel = node.kind === 'text' || (node.kind === 'name' && !node.quoted);
    return (isLabel ? this.labelled(feature, node) : undefined) ?? this.unlabelled(feature, node);
  }

  private labelled(feature: number, node: ExpressionNode<'text'> | ExpressionNode<'name'>): number | undefined {
    const { name, categories = [] } = this.features[feature];
    const label = node.kind === 'text' ? node.value : node.name;
    const category = this.categoryIndex(feature).get(label);
    if (category !== undefined) return category;
    if (node.kind === 'name' && this.indices.has(label)) return undefined;
    const hint = didYouMean(label, categories) || `: its categories are ${this.listCategories(feature)}`;
    return this.fail(`"${name}" has no category "${label}"${hint}`, node);
  }

  private categoryIndex(feature: number): ReadonlyMap<string, number> {
    let known = this.categoryIndices.get(feature);
    if (!known) {
      const { categories = [] } = this.features[feature];
      known = new Map(categories.map((category, k) => [category, k]));
      this.categoryIndices.set(feature, known);
    }
    return known;
  }

  /** Where categories look like numbers, `rating >= 2` could mean the rank or the category. The parser does not guess. */
  private unlabelled(feature: number, node: Expression): undefined {
    if (!this.isOrdinal(feature)) this.failCategorical(feature, node);
    const { name, categories = [] } = this.features[feature];
    if (!isConstant(this.form(node)) || !categories.some(readsAsNumber)) return;
    this.fail(`the categories of "${name}" read as numbers: put the one you mean in quotes`, node);
  }

  failCategorical(feature: number, node: Expression): never {
    const { name } = this.features[feature];
    this.fail(`"${name}" is categorical: compare it with one of ${this.listCategories(feature)}`, node);
  }

  fail(reason: string, { position }: { position: number }): never {
    throw new ExpressionError(reason, position, this.text);
  }

  /** The node as a number. */
  form(node: Expression): LinearForm {
    switch (node.kind) {
      case 'number':
        return constantForm(node.value);
      case 'name':
        return this.namedForm(node);
      case 'negative':
        return mapForm(this.form(node.operand), negativeOf);
      case 'arithmetic':
        return this.arithmetic(node);
      case 'text':
        return this.fail(textAsNumber(node.value), node);
      default:
        return this.fail('expected a number, found a condition', node);
    }
  }

  private namedForm(node: ExpressionNode<'name'>): LinearForm {
    const meaning = this.resolve(node);
    if ('constant' in meaning) return constantForm(meaning.constant);
    const { feature } = meaning;
    const hasNumber = this.features[feature].type !== 'categorical' || this.isOrdinal(feature);
    return hasNumber ? featureForm(feature) : this.failCategorical(feature, node);
  }

  private arithmetic(node: ExpressionNode<'arithmetic'>): LinearForm {
    const left = this.form(node.left);
    const right = this.form(node.right);
    switch (node.operator) {
      case '+':
        return addForms(left, right);
      case '-':
        return subtractForms(left, right);
      case '*':
        return this.product(left, right, node);
      case '/':
        return this.quotient(left, right, node);
    }
  }

  private product(left: LinearForm, right: LinearForm, node: Expression): LinearForm {
    if (isConstant(right)) return mapForm(left, (number) => productOf(number, right.constant));
    if (isConstant(left)) return mapForm(right, (number) => productOf(left.constant, number));
    return this.fail('a product of two features is not linear: one side must be a number', node);
  }

  private quotient(left: LinearForm, right: LinearForm, node: Expression): LinearForm {
    if (!isConstant(right)) this.fail('a division by a feature is not linear: divide by a number', node);
    if (right.constant.over === 0n) this.fail('division by zero', node);
    return mapForm(left, (number) => quotientOf(number, right.constant));
  }

  private listCategories(feature: number): string {
    const categories = this.features[feature].categories ?? [];
    const listed = categories.slice(0, LISTED_CATEGORIES).map((category) => `"${category}"`);
    return [...listed, ...(categories.length > LISTED_CATEGORIES ? ['...'] : [])].join(', ');
  }
}

function readsAsNumber(category: string): boolean {
  return category.trim() !== '' && !Number.isNaN(Number(category));
}

export function constantForm(constant: number): LinearForm {
  return { terms: new Map(), constant: rationalOf(constant) };
}

export function featureForm(feature: number): LinearForm {
  return { terms: new Map([[feature, ONE]]), constant: ZERO };
}

function isConstant(form: LinearForm): boolean {
  return form.terms.size === 0;
}

export function subtractForms(left: LinearForm, right: LinearForm): LinearForm {
  return addForms(left, mapForm(right, negativeOf));
}

function addForms(left: LinearForm, right: LinearForm): LinearForm {
  const terms = new Map(left.terms);
  for (const [feature, coefficient] of right.terms) {
    terms.set(feature, sumOf(terms.get(feature) ?? ZERO, coefficient));
  }
  return { terms: withoutZeros(terms), constant: sumOf(left.constant, right.constant) };
}

/** `scale` is linear: it multiplies or divides. */
function mapForm(form: LinearForm, scale: (number: Rational) => Rational): LinearForm {
  const terms = new Map([...form.terms].map(([feature, coefficient]) => [feature, scale(coefficient)]));
  return { terms: withoutZeros(terms), constant: scale(form.constant) };
}

function withoutZeros(terms: Map<number, Rational>): Map<number, Rational> {
  return new Map([...terms].filter(([, coefficient]) => nearestDouble(coefficient) !== 0));
}
