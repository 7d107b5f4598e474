import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nearestName } from '../../../src/documents/nearest-name.js';
import {
  type Clause,
  type Constraint,
  compileConstraint,
  ExpressionError,
  type FeatureLike,
  holds,
  type LinearAtom,
} from '../../../src/policy/constraint.js';
import type { Comparator, Connective, Expression } from '../../../src/policy/expression.js';
import { parseExpression } from '../../../src/policy/expression-parser.js';

const FEATURES: FeatureLike[] = [
  { name: 'income', type: 'continuous' },
  { name: 'rent', type: 'continuous' },
  { name: 'debt', type: 'continuous' },
  { name: 'monthsAtJob', type: 'integer' },
  { name: 'monthsEmployed', type: 'integer' },
  { name: 'hasGuarantor', type: 'boolean' },
  { name: 'hasCoapplicant', type: 'boolean' },
  { name: 'housing', type: 'categorical', categories: ['own', 'rent', 'free'] },
  { name: 'education', type: 'categorical', encoding: 'ordinal', categories: ['none', 'school', 'bachelor', 'master'] },
  { name: 'debt ratio', type: 'continuous' },
  { name: 'in', type: 'boolean' },
  { name: 'rating', type: 'categorical', encoding: 'ordinal', categories: ['1', '2', '3'] },
];
const INDEX = new Map(FEATURES.map(({ name }, index) => [name, index]));

/** A clause in the notation of the header of constraint.ts. */
function showAtom({ terms, indicators, lower, upper, lowerStrict, upperStrict }: LinearAtom): string {
  const names = [
    ...terms.map(({ feature, coefficient }) => [coefficient, FEATURES[feature].name] as const),
    ...indicators.map(({ feature, category, coefficient }) => {
      const { name, categories } = FEATURES[feature];
      return [coefficient, `[${name}=${categories![category]}]`] as const;
    }),
  ];
  const sum = names.map(([coefficient, name]) => `${coefficient} ${name}`).join(' + ') || '0';
  const low = lower === -Infinity ? '' : `${lower} ${lowerStrict ? '<' : '<='} `;
  const high = upper === Infinity ? '' : ` ${upperStrict ? '<' : '<='} ${upper}`;
  return `${low}${sum}${high}`;
}

const showClause = (clause: Clause) => clause.atoms.map(showAtom).join(' | ');
const normalForm = (text: string) => compileConstraint(text, FEATURES).clauses.map(showClause);

function valuesOf(row: Record<string, number>): number[] {
  return FEATURES.map(({ name }) => row[name] ?? 0);
}

function errorOf(text: string, features = FEATURES): ExpressionError {
  try {
    compileConstraint(text, features);
  } catch (error) {
    if (error instanceof ExpressionError) return error;
    throw error;
  }
  throw new Error(`${text} was accepted`);
}

describe('linear conditions', () => {
  it.each([
    ['monthsAtJob <= monthsEmployed', '1 monthsAtJob + -1 monthsEmployed <= 0'],
    ['2 * rent + debt <= 1500', '2 rent + 1 debt <= 1500'],
    ['1 * income - 1 * rent <= 0', '1 income + -1 rent <= 0'],
    ['rent - income <= 0', '0 <= 1 income + -1 rent'],
    ['-(income - 2 * rent) / 4 < debt * 0.5 + 1', '-1 < 0.25 income + -0.5 rent + 0.5 debt'],
    ['2 * income <= 3', '1 income <= 1.5'],
    ['5 > income', '1 income < 5'],
    ['income = 5', '5 <= 1 income <= 5'],
    ['income != 5', '1 income < 5 | 5 < 1 income'],
    ['not income <= 5', '5 < 1 income'],
    ['`debt ratio` <= 0.4', '1 debt ratio <= 0.4'],
    ['49 * income / 49 + rent <= 1', '1 income + 1 rent <= 1'],
  ])('%s', (text, expected) => {
    expect(normalForm(text)).toEqual([expected]);
  });

  it('keeps the text and plain data', () => {
    const constraint = compileConstraint('2 * rent + debt <= 1500', FEATURES);
    expect(constraint).toEqual({
      text: '2 * rent + debt <= 1500',
      clauses: [
        {
          atoms: [
            {
              terms: [
                { feature: 1, coefficient: 2 },
                { feature: 2, coefficient: 1 },
              ],
              indicators: [],
              isContinuous: true,
              lower: -Infinity,
              upper: 1500,
              lowerStrict: false,
              upperStrict: false,
            },
          ],
        },
      ],
    });
  });

  it('makes one interval of conditions on the same sum', () => {
    expect(normalForm('0 <= income <= 5')).toEqual(['0 <= 1 income <= 5']);
    expect(normalForm('income - rent >= 1 and 2 >= income - rent and income - rent < 2')).toEqual([
      '1 <= 1 income + -1 rent < 2',
    ]);
    expect(normalForm('0 <= income <= 5 or rent <= 1')).toEqual(['0 <= 1 income <= 5 | 1 rent <= 1']);
    expect(normalForm('not (0 <= income <= 5)')).toEqual(['1 income < 0 | 5 < 1 income']);
  });

  it.each([
    ['income > 1 and income >= 1', '1 < 1 income'],
    ['income >= 1 and income > 1', '1 < 1 income'],
    ['income < 1 and income <= 1', '1 income < 1'],
    ['income <= 1 and income < 1', '1 income < 1'],
    ['income > 1 and income >= 2', '2 <= 1 income'],
  ])('keeps the tighter end: %s', (text, expected) => {
    expect(normalForm(text)).toEqual([expected]);
  });

  it('leaves a contradiction for the solver to prove', () => {
    expect(normalForm('income <= 3 and income >= 5')).toEqual(['1 income <= 3', '5 <= 1 income']);
    expect(normalForm('income < 3 and income >= 3')).toEqual(['1 income < 3', '3 <= 1 income']);
  });
});

describe('whole sums', () => {
  it.each([
    ['monthsAtJob < 5', '1 monthsAtJob <= 4'],
    ['monthsAtJob > 4.5', '5 <= 1 monthsAtJob'],
    ['monthsAtJob <= 4.5', '1 monthsAtJob <= 4'],
    ['0.1 * monthsAtJob < 0.3', '1 monthsAtJob <= 2'],
    ['monthsAtJob - monthsEmployed < 0', '1 monthsAtJob + -1 monthsEmployed <= -1'],
    ['monthsAtJob != 5', '1 monthsAtJob <= 4 | 6 <= 1 monthsAtJob'],
    ['monthsAtJob + 3 * hasGuarantor > 2', '3 <= 1 monthsAtJob + 3 hasGuarantor'],
    ['0.5 * monthsAtJob + monthsEmployed < 3', '0.5 monthsAtJob + 1 monthsEmployed < 3'],
    ['monthsAtJob + income < 3', '1 income + 1 monthsAtJob < 3'],
    ['monthsAtJob < 1e99', '1 monthsAtJob < 1e+99'],
    ['monthsAtJob = 4.5', '1 <= 0'],
    ['monthsAtJob in (3, 5)', '3 <= 1 monthsAtJob <= 3 | 5 <= 1 monthsAtJob <= 5'],
    [
      'hasGuarantor != hasCoapplicant',
      '1 hasGuarantor + -1 hasCoapplicant <= -1 | 1 <= 1 hasGuarantor + -1 hasCoapplicant',
    ],
  ])('%s', (text, expected) => {
    expect(normalForm(text)).toEqual([expected]);
  });

  it('takes `not in` over numbers', () => {
    expect(normalForm('monthsAtJob not in (3, 5)')).toEqual([
      '1 monthsAtJob <= 2 | 4 <= 1 monthsAtJob',
      '1 monthsAtJob <= 4 | 6 <= 1 monthsAtJob',
    ]);
  });
});

describe('0/1 literals', () => {
  it.each([
    ['hasGuarantor', '1 <= 1 hasGuarantor'],
    ['not hasGuarantor', '1 hasGuarantor <= 0'],
    ['hasGuarantor = true', '1 <= 1 hasGuarantor'],
    ['false == hasGuarantor', '1 hasGuarantor <= 0'],
    ['hasGuarantor < 1', '1 hasGuarantor <= 0'],
    ['2 * hasGuarantor > 0.3', '1 <= 1 hasGuarantor'],
    ['`in` or hasGuarantor', '1 <= 1 in + 1 hasGuarantor'],
    ['hasGuarantor implies hasCoapplicant', '0 <= -1 hasGuarantor + 1 hasCoapplicant'],
    ['not (hasGuarantor and hasCoapplicant)', '1 hasGuarantor + 1 hasCoapplicant <= 1'],
    ['hasGuarantor or hasGuarantor', '1 <= 1 hasGuarantor'],
    ['housing = own', '1 <= 1 [housing=own]'],
    ['housing = "own"', '1 <= 1 [housing=own]'],
    ["'own' = housing", '1 <= 1 [housing=own]'],
    ['housing != rent', '1 [housing=rent] <= 0'],
    ['not housing != rent', '1 <= 1 [housing=rent]'],
    ['housing in (own, rent)', '1 <= 1 [housing=own] + 1 [housing=rent]'],
    ['housing in (own, own)', '1 <= 1 [housing=own]'],
    ['housing not in (own, rent)', '1 [housing=own] + 1 [housing=rent] <= 0'],
    ['housing = own or housing in (own, free)', '1 <= 1 [housing=own] + 1 [housing=free]'],
    ['housing not in (own, rent) or housing not in (rent, free)', '1 [housing=rent] <= 0'],
    ['housing = rent or housing not in (own, rent)', '1 [housing=own] <= 0'],
    ['housing = own implies hasGuarantor', '0 <= 1 hasGuarantor + -1 [housing=own]'],
  ])('%s', (text, expected) => {
    expect(normalForm(text)).toEqual([expected]);
  });

  it('stay atoms of their own beside other conditions', () => {
    expect(normalForm('housing = own implies rent = 0')).toEqual(['1 [housing=own] <= 0 | 0 <= 1 rent <= 0']);
    expect(normalForm('income >= 3000 or hasGuarantor')).toEqual(['1 <= 1 hasGuarantor | 3000 <= 1 income']);
  });
});

describe('ordinal categories', () => {
  it.each([
    ['education >= bachelor', '2 <= 1 education'],
    ['bachelor > education', '1 education <= 1'],
    ['school <= education <= bachelor', '1 <= 1 education <= 2'],
    ['education = bachelor', '2 <= 1 education <= 2'],
    ['education != bachelor', '1 education <= 1 | 3 <= 1 education'],
    ['education != none', '1 <= 1 education'],
    ['education in (master, school)', '1 <= 1 education <= 1 | 3 <= 1 education <= 3'],
    ['education in (bachelor, school)', '1 <= 1 education <= 2'],
    ['education not in (school, bachelor)', '1 education <= 0 | 3 <= 1 education'],
    ['education not in (none, bachelor)', '1 <= 1 education <= 1 | 3 <= 1 education'],
    ['education > 1', '2 <= 1 education'],
    ['2 * education + monthsAtJob < 5', '1 monthsAtJob + 2 education <= 4'],
    ['education >= rating', '0 <= 1 education + -1 rating'],
    ['rating >= "2"', '1 <= 1 rating'],
  ])('%s', (text, expected) => {
    expect(normalForm(text)).toEqual([expected]);
  });
});

describe('what is always or never so', () => {
  it.each([
    '1 <= 2',
    'true',
    'not false',
    'income - income <= 0',
    '0.1 + 0.2 <= 0.3',
    '0 <= hasGuarantor <= 1',
    'education <= master',
    'hasGuarantor or not hasGuarantor',
    'housing = own or housing != own',
    'hasGuarantor implies income < 3 or hasGuarantor',
    'hasGuarantor + hasCoapplicant <= 2 or income > 3',
  ])('always: %s', (text) => {
    expect(normalForm(text)).toEqual([]);
  });

  it.each(['2 <= 1', 'false', 'education > master', '2 * hasGuarantor = 1', 'hasGuarantor + hasCoapplicant > 2'])(
    'never: %s',
    (text) => {
      expect(normalForm(text)).toEqual(['1 <= 0']);
      expect(holds(compileConstraint(text, FEATURES), valuesOf({}))).toBe(false);
      expect(normalForm(`income <= 3 or ${text}`)).toEqual(['1 income <= 3']);
    },
  );
});

describe('clauses', () => {
  it('distributes or over and', () => {
    expect(normalForm('income <= 1 and rent <= 2 or debt <= 3')).toEqual([
      '1 income <= 1 | 1 debt <= 3',
      '1 rent <= 2 | 1 debt <= 3',
    ]);
    expect(normalForm('not (income <= 1 or hasGuarantor)')).toEqual(['1 < 1 income', '1 hasGuarantor <= 0']);
  });

  it('refuses a blow-up', () => {
    const pair = (bound: number) => `(income > ${bound} and rent > ${bound})`;
    const bounds = (count: number) => Array.from({ length: count }, (_, index) => pair(index));
    expect(compileConstraint(bounds(6).join(' or '), FEATURES).clauses).toHaveLength(64);
    const text = bounds(7).join(' or ');
    const reason = 'too complex (more than 64 clauses): split or simplify the constraint';
    expect(errorOf(text)).toMatchObject({ reason, position: text.lastIndexOf('or') });
  });

  it('survives the longest chains the parser lets through', () => {
    expect(normalForm(`${'income + '.repeat(990)}income <= 1`)).toHaveLength(1);
    expect(normalForm(`${'hasGuarantor or '.repeat(990)}hasCoapplicant`)).toHaveLength(1);
  });
});

describe('errors', () => {
  it.each([
    ['monthsAtJbo <= 5', 0, 'unknown feature "monthsAtJbo", did you mean "monthsAtJob"?'],
    ['5 <= MonthsAtJob', 5, 'unknown feature "MonthsAtJob", did you mean "monthsAtJob"?'],
    ['income <= zzz', 10, 'unknown feature "zzz"'],
    ['not zzz', 4, 'unknown feature "zzz"'],
    ['`true`', 0, 'unknown feature "true"'],
    ['__proto__ <= 1', 0, 'unknown feature "__proto__"'],
    ['constructor', 0, 'unknown feature "constructor"'],
    ['`toString` > 1', 0, 'unknown feature "toString"'],
    ['housing = constructor', 10, '"housing" has no category "constructor": its categories are "own", "rent", "free"'],
    ['housing = retn', 10, '"housing" has no category "retn", did you mean "rent"?'],
    ['housing in (own, fre)', 17, '"housing" has no category "fre", did you mean "free"?'],
    [
      'education > "phd"',
      12,
      '"education" has no category "phd": its categories are "none", "school", "bachelor", "master"',
    ],
    ['housing = 3', 10, '"housing" is categorical: compare it with one of "own", "rent", "free"'],
    ['housing = income', 10, '"housing" is categorical: compare it with one of "own", "rent", "free"'],
    ['housing in (own, 3)', 17, '"housing" is categorical: compare it with one of "own", "rent", "free"'],
    [
      'education in (none, 3)',
      20,
      '"education" is categorical: compare it with one of "none", "school", "bachelor", "master"',
    ],
    ['2 * housing <= 3', 4, '"housing" is categorical: compare it with one of "own", "rent", "free"'],
    ['housing', 0, '"housing" is categorical: compare it with one of "own", "rent", "free"'],
    ['housing >= own', 8, '"housing" has no order: use =, != or in'],
    ['rating >= 2', 10, 'the categories of "rating" read as numbers: put the one you mean in quotes'],
    ['-1 < rating', 0, 'the categories of "rating" read as numbers: put the one you mean in quotes'],
    ['income = "own"', 9, '"own" is text: only a categorical feature can be compared with it'],
    [
      '"debt ratio" <= 0.5',
      0,
      '"debt ratio" is text: only a categorical feature can be compared with it; write the name of a feature in backticks: `debt ratio`',
    ],
    ['income * rent <= 3', 7, 'a product of two features is not linear: one side must be a number'],
    ['1 / rent <= 3', 2, 'a division by a feature is not linear: divide by a number'],
    ['income / (1 - 1) <= 3', 7, 'division by zero'],
    ['1e60 * 1e60 * income <= 3', 21, 'the numbers are too large: at most 1e+100 in size'],
    ['income', 0, '"income" is a number, not a condition: compare it with something'],
    ['income and hasGuarantor', 0, '"income" is a number, not a condition: compare it with something'],
    ['2 * income', 2, 'expected a condition, found a value: compare it with something'],
    ['"own"', 0, 'expected a condition, found a value: compare it with something'],
    ['hasGuarantor = (income > 3)', 23, 'expected a number, found a condition'],
    ['', 0, 'the expression is empty'],
    ['income <= 3 rent', 12, 'expected an operator or the end, found "rent"'],
  ])('%j', (text, position, reason) => {
    expect(errorOf(text)).toMatchObject({ reason, position, text });
  });

  it('shows the place', () => {
    expect(errorOf('2 * monthsAtJbo <= 5').message).toBe(
      'unknown feature "monthsAtJbo", did you mean "monthsAtJob"?\n  2 * monthsAtJbo <= 5\n      ^',
    );
  });

  it('lists the first few of many categories', () => {
    const categories = Array.from({ length: 20 }, (_, index) => `c${index}`);
    expect(errorOf('zip = other', [{ name: 'zip', type: 'categorical', categories }]).reason).toBe(
      '"zip" has no category "other": its categories are "c0", "c1", "c2", "c3", "c4", "c5", "c6", "c7", ...',
    );
  });

  it('accepts odd names where they are features', () => {
    const features: FeatureLike[] = [{ name: '__proto__', type: 'continuous' }];
    expect(compileConstraint('__proto__ <= 1', features).clauses[0].atoms[0].terms).toEqual([
      { feature: 0, coefficient: 1 },
    ]);
  });

  it('prefers a category to a feature of the same name, but not in backticks', () => {
    expect(normalForm('housing = rent')).toEqual(['1 <= 1 [housing=rent]']);
    expect(errorOf('housing = `rent`').reason).toMatch(/^"housing" is categorical/);
  });
});

describe('holds', () => {
  const at = (text: string, row: Record<string, number>) => holds(compileConstraint(text, FEATURES), valuesOf(row));

  it('gives non-strict ends the rounding of the sum, and no more', () => {
    expect(at('income + rent <= 0.3', { income: 0.1, rent: 0.2 })).toBe(true);
    expect(at('income <= 1e6', { income: 1e6 + 1e-10 })).toBe(true);
    expect(at('income <= 1e6', { income: 1e6 + 1e-7 })).toBe(false);
    expect(at('income <= 1700000000.8', { income: 1700000001 })).toBe(false);
    expect(at('income >= 0', { income: -5e-10 })).toBe(false);
    expect(at('0.5 * income >= 1.5e-8', { income: 3e-8 - 1e-24 })).toBe(true);
    expect(at('0.5 * income >= 1.5e-8', { income: 3e-8 - 1e-20 })).toBe(false);
  });

  it('lets an equation of continuous numbers be missed by what a solver leaves', () => {
    expect(at('income - rent = 0', { income: 1e6, rent: 1e6 + 1e-6 })).toBe(true);
    expect(at('income - rent = 0', { income: 1e6, rent: 1e6 + 1e-3 })).toBe(false);
  });

  it('lets one boolean decide while the other is missing, where values may be', () => {
    const row = valuesOf({ hasGuarantor: 1, hasCoapplicant: Number.NaN });
    const either = compileConstraint('hasGuarantor or hasCoapplicant', FEATURES, true);
    expect(holds(either, row)).toBe(true);
    expect(holds(either, valuesOf({ hasGuarantor: 0, hasCoapplicant: Number.NaN }))).toBe(false);
    expect(holds(compileConstraint('hasGuarantor or not hasCoapplicant', FEATURES, true), row)).toBe(true);
  });

  it('counts a sum within the rounding of an end as the end, where the end is open as well', () => {
    expect(at('income < 1', { income: 1 })).toBe(false);
    expect(at('income < 1', { income: 1 - 1e-15 })).toBe(false);
    expect(at('income < 1', { income: 1 - 1e-14 })).toBe(true);
    expect(at('income > 1', { income: 1 })).toBe(false);
    expect(at('income != 1', { income: 1 })).toBe(false);
    expect(at('income != 1', { income: 1 + 1e-14 })).toBe(true);
    expect(at('income < rent + 1.6', { income: 2.3, rent: 0.7 })).toBe(false);
    expect(at('income < rent + 1.6', { income: 2.2, rent: 0.7 })).toBe(true);
    expect(at('not income >= rent + 1.6', { income: 2.3, rent: 0.7 })).toBe(false);
    expect(at('income > 0.3 - rent', { income: 0.1, rent: 0.2 })).toBe(false);
    expect(at('income + rent != 0.3', { income: 0.1, rent: 0.2 })).toBe(false);
    expect(at('income + rent != 0.3', { income: 0.1, rent: 0.3 })).toBe(true);
  });

  it('computes with the decimals that the text says', () => {
    expect(at('income < rent + 1000000.1 - 1000000', { income: 0.8, rent: 0.7 })).toBe(false);
    expect(at('income <= rent + 1000000.1 - 1000000', { income: 0.8, rent: 0.7 })).toBe(true);
    expect(at('0.1 * hasGuarantor + 0.7 * hasCoapplicant >= 0.8', { hasGuarantor: 1, hasCoapplicant: 1 })).toBe(true);
    expect(at('0.1 * hasGuarantor + 0.7 * hasCoapplicant < 0.8', { hasGuarantor: 1, hasCoapplicant: 1 })).toBe(false);
  });

  it('reads categories by index in both encodings, from any array', () => {
    const constraint = compileConstraint('housing = rent and education >= bachelor', FEATURES);
    expect(holds(constraint, Float64Array.from(valuesOf({ housing: 1, education: 2 })))).toBe(true);
    expect(holds(constraint, Float64Array.from(valuesOf({ housing: 2, education: 2 })))).toBe(false);
    expect(holds(constraint, Float64Array.from(valuesOf({ housing: 1, education: 1 })))).toBe(false);
  });

  it('is false for a missing number', () => {
    expect(at('income <= 1', { income: Number.NaN })).toBe(false);
    expect(at('income > 1', { income: Number.NaN })).toBe(false);
  });
});

// The meaning of the language, read off the tree with no normal form: what the property below compares with.

const COMPARE: Record<Comparator, (a: number, b: number) => boolean> = {
  '<=': (a, b) => a <= b,
  '<': (a, b) => a < b,
  '>=': (a, b) => a >= b,
  '>': (a, b) => a > b,
  '=': (a, b) => a === b,
  '!=': (a, b) => a !== b,
};
const CONNECT: Record<Connective, (a: boolean, b: boolean) => boolean> = {
  and: (a, b) => a && b,
  or: (a, b) => a || b,
  implies: (a, b) => !a || b,
};

/** A number; a label beside a categorical feature is that category's index. */
function evaluateNumber(node: Expression, values: number[], beside?: Expression): number {
  const categories = beside?.kind === 'name' ? FEATURES[INDEX.get(beside.name) ?? -1]?.categories : undefined;
  const label = node.kind === 'text' ? node.value : node.kind === 'name' && !node.quoted ? node.name : undefined;
  if (categories !== undefined && label !== undefined && categories.includes(label)) return categories.indexOf(label);
  switch (node.kind) {
    case 'number':
      return node.value;
    case 'name':
      return INDEX.has(node.name) ? values[INDEX.get(node.name)!] : Number(node.name === 'true');
    case 'negative':
      return -evaluateNumber(node.operand, values);
    case 'arithmetic': {
      const [left, right] = [evaluateNumber(node.left, values), evaluateNumber(node.right, values)];
      return { '+': left + right, '-': left - right, '*': left * right, '/': left / right }[node.operator];
    }
    default:
      throw new Error(`not a number: ${node.kind}`);
  }
}

function evaluate(node: Expression, values: number[]): boolean {
  switch (node.kind) {
    case 'not':
      return !evaluate(node.operand, values);
    case 'connective':
      return CONNECT[node.operator](evaluate(node.left, values), evaluate(node.right, values));
    case 'comparison': {
      const left = evaluateNumber(node.left, values, node.right);
      return COMPARE[node.operator](left, evaluateNumber(node.right, values, node.left));
    }
    case 'membership': {
      const value = evaluateNumber(node.operand, values);
      return node.members.some((member) => evaluateNumber(member, values, node.operand) === value) !== node.negated;
    }
    default:
      return evaluateNumber(node, values) === 1;
  }
}

const numeric = fc.constantFrom(
  'income',
  'rent',
  '`debt ratio`',
  'monthsAtJob',
  'monthsEmployed',
  'hasGuarantor',
  'education',
);
const comparator = fc.constantFrom('<=', '<', '>=', '>', '=', '==', '!=');
/** dyadic, so that both evaluations are exact and no tolerance matters */
const dyadic = fc.integer({ min: -12, max: 12 }).map((quarters) => quarters / 4);
const labelsOf = (name: string) => fc.constantFrom(...FEATURES[INDEX.get(name)!].categories!);
const quoted = (label: string) => `"${label}"`;
const listOf = (label: fc.Arbitrary<string>) =>
  fc.array(label, { minLength: 1, maxLength: 4 }).map((labels) => `(${labels.join(', ')})`);
const template = (...parts: fc.Arbitrary<string>[]) => fc.tuple(...parts).map((words) => `(${words.join(' ')})`);
const word = (...words: string[]) => fc.constantFrom(...words);

const { condition } = fc.letrec<{ condition: string; atom: string; sum: string }>((tie) => ({
  sum: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    numeric,
    dyadic.map(String),
    template(tie('sum'), word('+', '-'), tie('sum')),
    template(dyadic.map(String), word('*'), tie('sum')),
    template(tie('sum'), word('* 2', '/ 2', '/ -4')),
    template(word('-'), tie('sum')),
  ),
  atom: fc.oneof(
    word('hasGuarantor', 'hasCoapplicant', '`in`', 'true', 'false'),
    template(tie('sum'), comparator, tie('sum')),
    template(dyadic.map(String), word('<=', '<'), numeric, word('<=', '<'), dyadic.map(String)),
    template(word('monthsAtJob', 'income'), word('in', 'not in'), listOf(dyadic.map(String))),
    template(word('housing'), word('=', '!='), labelsOf('housing')),
    template(word('housing'), word('in', 'not in'), listOf(labelsOf('housing'))),
    template(word('education'), comparator, labelsOf('education')),
    template(labelsOf('education'), comparator, word('education')),
    template(word('education'), word('in', 'not in'), listOf(labelsOf('education'))),
    template(word('rating'), comparator, labelsOf('rating').map(quoted)),
    template(word('hasGuarantor', 'hasCoapplicant'), comparator, word('true', 'false', '0', '1', '`in`', '0.5')),
  ),
  condition: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    tie('atom'),
    template(tie('condition'), word('and', 'or', 'implies'), tie('condition')),
    template(word('not'), tie('condition')),
  ),
}));

function valueArbitrary({ type, categories }: FeatureLike): fc.Arbitrary<number> {
  if (type === 'continuous') return dyadic;
  if (type === 'integer') return fc.integer({ min: -4, max: 4 });
  return fc.integer({ min: 0, max: type === 'boolean' ? 1 : categories!.length - 1 });
}
const rows = fc.array(fc.tuple(...FEATURES.map(valueArbitrary)), { minLength: 20, maxLength: 20 });

/** Skips the random expressions that are refused as too complex; any other error is one. */
function compileOrSkip(text: string): Constraint {
  try {
    return compileConstraint(text, FEATURES);
  } catch (error) {
    fc.pre(!(error instanceof ExpressionError && error.reason.startsWith('too complex')));
    throw error;
  }
}

describe('properties', () => {
  it('the normal form means what the expression says', () => {
    fc.assert(
      fc.property(condition, rows, (text, rows) => {
        const constraint = compileOrSkip(text);
        const tree = parseExpression(text);
        for (const values of rows) expect(holds(constraint, values)).toBe(evaluate(tree, values));
      }),
      { numRuns: 500 },
    );
  });

  it('the normal form is normal: finite sums, no empty clause, no strict whole sum, one atom for pure 0/1 clauses', () => {
    fc.assert(
      fc.property(condition, (text) => {
        for (const { atoms } of compileOrSkip(text).clauses) {
          expect(atoms.length).toBeGreaterThan(0);
          expect(atoms.length === 1 || !atoms.every(isLiteral)).toBe(true);
          for (const atom of atoms) expectNormal(atom);
        }
      }),
      { numRuns: 500 },
    );
  });
});

function isLiteral({ terms, indicators }: LinearAtom): boolean {
  return indicators.length > 0 || (terms.length === 1 && FEATURES[terms[0].feature].type === 'boolean');
}

function expectNormal({ terms, indicators, lower, upper, lowerStrict, upperStrict }: LinearAtom): void {
  for (const { coefficient } of [...terms, ...indicators]) {
    expect(Number.isFinite(coefficient) && coefficient !== 0).toBe(true);
  }
  expect(lower).toBeLessThanOrEqual(upper);
  const isWhole = terms.every(
    (term) => FEATURES[term.feature].type !== 'continuous' && Number.isInteger(term.coefficient),
  );
  expect(isWhole && (lowerStrict || upperStrict)).toBe(false);
}

describe('nearestName', () => {
  const names = ['direction', 'change', 'maxIncrease', 'maxDecrease', 'age', 'x1', 'x2'];
  it.each([
    ['directon', 'direction'],
    ['chnage', 'change'],
    ['MAXINCREASE', 'maxIncrease'],
    ['maxDecreas', 'maxDecrease'],
    ['aeg', 'age'],
    ['X1', 'x1'],
    ['x3', undefined],
    ['step', undefined],
    ['', undefined],
    ['constructor', undefined],
  ])('%j -> %j', (name, expected) => {
    expect(nearestName(name, names)).toBe(expected);
  });

  it('finds a name again after one typo', () => {
    const typo = fc.tuple(
      fc.constantFrom('direction', 'maxIncrease', 'maxDecrease'),
      fc.nat(8),
      fc.constantFrom('', '#', '##'),
    );
    fc.assert(
      fc.property(typo, ([name, at, replacement]) => {
        const mistyped = name.slice(0, at) + replacement + name.slice(at + 1);
        expect(nearestName(mistyped, names)).toBe(name);
      }),
    );
  });

  it('takes the first of equally near names', () => {
    expect(nearestName('weightC', ['weightA', 'weightB'])).toBe('weightA');
    expect(nearestName('weightB', ['weightA', 'weightB'])).toBe('weightB');
  });
});
