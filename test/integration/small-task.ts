/** A model, a policy and rows that are quickly solved, for tests of everything around the solving. */
import { stump } from '../support/documents.js';

export const MODEL = {
  schema: 'elsewise.model/v1',
  name: 'small',
  family: 'logistic-regression',
  features: [
    { name: 'income', type: 'continuous', min: 0, max: 10_000 },
    { name: 'age', type: 'integer', min: 18, max: 100 },
    { name: 'city', type: 'categorical', categories: ['Köln', 'Paris'] },
  ],
  classes: ['no', 'yes'],
  parameters: { weights: [0.01, 0.05, 0.5, -0.5], bias: -40, threshold: 0.5 },
};

/** The same with one split. */
export const TREE = {
  ...MODEL,
  family: 'decision-tree',
  parameters: stump(1500),
};

export const POLICY = {
  schema: 'elsewise.policy/v1',
  name: 'small',
  target: 'yes',
  features: { age: { change: 'never' }, city: { change: 'never' } },
} as const;

export const HEADER = 'id,income,age,city';

export function rowLine(row: number): string {
  return `r-${row},${1000 + (row % 997)},${18 + (row % 60)},${row % 2 ? 'Köln' : 'Paris'}`;
}

export function rowsCsv(rows: number): string {
  const lines = Array.from({ length: rows }, (_, i) => rowLine(i + 1));
  return `${[HEADER, ...lines].join('\n')}\n`;
}
