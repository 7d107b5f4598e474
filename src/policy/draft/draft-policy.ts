/**
 * The first policy for a model, as JSON with comments. Facts of the rows become entries. Guesses from names become entries with a question.
 * Constraints that hold on all rows are offered as comments and never applied. The same model and rows give the same text.
 */
import type { FeatureRuleDocument, PolicyInput, TargetDocument } from '../../documents/policy-document.js';
import { medianDeviation, standardDeviation } from '../../models/background.js';
import { type Feature, listedNames } from '../../models/features.js';
import type { LoadedModel } from '../../models/load.js';
import { type ColumnFacts, factsOf, isNumeric } from './column-facts.js';
import { hintOf, type NameHint } from './name-hints.js';
import { observedConstraints } from './observed-constraints.js';

export interface DraftRows {
  readonly rows: readonly Float64Array[];
  /** The origin of the rows: "the background of the model", or a file. */
  readonly origin: string;
}

export interface Draft {
  readonly text: string;
  /** Features whose rule follows from their name, or from a single value of all rows. */
  readonly questioned: readonly string[];
  /** The number of constraints that are offered. */
  readonly offered: number;
}

interface Entry {
  readonly facts: ColumnFacts;
  readonly hint: NameHint | undefined;
  readonly isConstant: boolean;
  readonly rule: FeatureRuleDocument;
}

export function draftPolicy(model: LoadedModel, data: DraftRows, target?: TargetDocument): Draft {
  const entries = model.space.features.map((feature) => entryOf(factsOf(feature, data.rows, model.background)));
  const fixed = new Set(entries.filter(({ rule }) => rule.change === 'never').map(({ facts }) => facts.feature));
  const constraints = observedConstraints(model.space.features, fixed, data.rows);
  const lines = [
    ...HEAD.map((line) => `// ${line}`),
    '{',
    '  "schema": "elsewise.policy/v1",',
    `  "name": ${JSON.stringify(model.name)},`,
    ...targetLines(model, target),
    ...costLines(model, data),
    ...featureLines(entries, data),
    ...constraintLines(constraints, data),
    ...CLOSE,
  ];
  const questioned = entries
    .filter(({ hint, isConstant }) => hint || isConstant)
    .map(({ facts }) => facts.feature.name);
  return { text: `${lines.join('\n')}\n`, questioned, offered: constraints.length };
}

const HEAD = [
  'A first policy. Lines with a question mark are questions to you: answer them by editing the file.',
  '"elsewise policies check FILE --model MODEL --data ROWS" lists faults and rows that the policy blocks.',
  'docs/policy.md explains every key.',
];

const CLOSE = [
  '',
  '  // ? How many features may change at once? Remove the comment mark for a limit.',
  '  // "maxChanges": 3,',
  '',
  '  // The number of answers for each row.',
  '  "count": 1',
  '}',
];

const MOST_CLASSES = 8;

function targetLines({ classes, task }: LoadedModel, target: TargetDocument | undefined): string[] {
  if (target !== undefined) return ['', '  // The wanted outcome.', `  "target": ${JSON.stringify(target)},`];
  if (task === 'regression')
    return [
      '',
      '  // ? Which predictions are wanted? Set the ends and remove the comment mark.',
      '  // "target": { "from": 0, "to": 1 },',
    ];
  const lines = classes.slice(0, MOST_CLASSES).map((name) => `  // "target": ${JSON.stringify(name)},`);
  return [
    '',
    '  // ? Which class is wanted? Remove the comment mark of one line, or give --target to each run.',
    ...lines,
  ];
}

function costLines(model: LoadedModel, { rows, origin }: DraftRows): string[] {
  const numbers = model.space.features.filter(isNumeric);
  const { background } = model;
  const isMeasured = numbers.every((feature) => (background.mad(feature) ?? background.std(feature)) !== undefined);
  if (isMeasured) return costText('mad', 'in units of the median absolute deviation of the background');
  if (!rows.length)
    return costText('none', 'in the units of the data. No statistics are known: give --data for better units');
  const weights = Object.fromEntries(numbers.map((feature) => [feature.name, weightOf(feature, rows)]));
  return costText(weights, `each times a weight: 1 / median absolute deviation of ${origin}`);
}

function costText(weights: NonNullable<PolicyInput['cost']>['weights'], units: string): string[] {
  return [
    '',
    `  // The cost of a change: the sum of absolute differences, ${units}.`,
    `  "cost": ${inline({ norm: 'l1', weights })},`,
  ];
}

const SIGNIFICANT = 4;

function weightOf({ index }: Feature, rows: readonly Float64Array[]): number {
  const values = rows.map((row) => row[index]).filter((value) => !Number.isNaN(value));
  const spread = values.length ? medianDeviation(values) || standardDeviation(values) || 1 : 1;
  return Number((1 / spread).toPrecision(SIGNIFICANT));
}

function entryOf(facts: ColumnFacts): Entry {
  const hint = hintOf(facts.feature);
  const isConstant = hasOneValue(facts);
  const stays = isConstant || facts.feature.isFixed;
  return { facts, hint, isConstant, rule: ruleOf(facts, stays ? 'never' : (hint?.change ?? 'any')) };
}

const hasOneValue = ({ range, seen }: ColumnFacts): boolean =>
  seen.length === 1 || (range !== null && range[0] === range[1]);

function ruleOf(
  { feature, range, step, seen }: ColumnFacts,
  change: 'any' | 'never' | 'increase',
): FeatureRuleDocument {
  if (change === 'never') return { change };
  if (isNumeric(feature))
    return {
      change,
      ...(range && (change === 'any' ? { min: range[0], max: range[1] } : { max: range[1] })),
      ...(step && { step }),
    };
  const names = listedNames(feature);
  const isPartial = seen.length > 0 && seen.length < names.length;
  return { change, ...(isPartial && { allow: seen.map((k) => names[k]) }) };
}

function featureLines(entries: readonly Entry[], data: DraftRows): string[] {
  const lines = entries.flatMap(({ facts, hint, isConstant, rule }, i) => [
    `    // ${printable(factText(facts, data))}`,
    ...(isConstant ? CONSTANT : questionLines(facts.feature, hint)),
    `    ${JSON.stringify(facts.feature.name)}: ${inline(rule)}${i < entries.length - 1 ? ',' : ''}`,
  ]);
  return ['', '  // The rule of each feature. Standing still is always allowed.', '  "features": {', ...lines, '  },'];
}

/** A model learns nothing about a value that no row has. */
const CONSTANT = [
  '    // ? All rows have the same value. May answers have other values? If yes, write "any" and the limits.',
];

function questionLines({ kind }: Feature, hint: NameHint | undefined): string[] {
  if (!hint) return [];
  const word = `the name contains "${hint.word}"`;
  if (hint.change === 'increase') return [`    // ? Does the value only grow? (${word}) If not, write "any".`];
  const other = kind === 'choice' || kind === 'boolean' ? 'write "any"' : 'write "increase" or "any"';
  return [
    `    // ? Can this value never change, or must nobody be asked to change it? (${word}) If neither, ${other}.`,
  ];
}

function factText(
  { feature, range, step, isObserved, counts, known, missing }: ColumnFacts,
  { origin }: DraftRows,
): string {
  const source = known ? origin : 'the background of the model';
  const type = [feature.kind === 'choice' ? 'categorical' : feature.kind, feature.unit].filter(Boolean).join(', ');
  const seen = [
    ...(range ? [`${range[0]} to ${range[1]} in ${source}`] : []),
    ...(counts.length && known ? [`${countText(feature, counts)} in ${source}`] : []),
    ...(step ? [isObserved ? `multiples of ${step}` : `the step of ${step} keeps changes round`] : []),
    ...(missing ? [`${missing} missing`] : []),
  ];
  return [type, ...(seen.length ? seen : ['no values are known'])].join('; ');
}

const MOST_COUNTS = 8;

function countText({ kind, categories }: Feature, counts: readonly number[]): string {
  const names = listedNames({ kind, categories });
  const shown = counts.slice(0, MOST_COUNTS).map((count, k) => `${names[k]} ${count}`);
  return [...shown, ...(counts.length > MOST_COUNTS ? ['...'] : [])].join(', ');
}

/** A line end in a name or a unit would end the comment. */
const printable = (name: string): string => name.replace(/\s+/g, ' ');

function constraintLines(constraints: readonly string[], { rows, origin }: DraftRows): string[] {
  if (!constraints.length)
    return [
      '',
      '  // Conditions that every answer must meet, such as "a <= b" or "c implies d".',
      '  "constraints": [],',
    ];
  return [
    '',
    `  // ? These conditions hold on all ${rows.length} rows of ${origin}. Must answers meet them? If yes, remove the comment mark.`,
    '  "constraints": [',
    ...constraints.map((text) => `    // ${JSON.stringify(text)},`),
    '  ],',
  ];
}

/** JSON on one line, with spaces. */
function inline(value: unknown): string {
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(inline).join(', ')}]`;
  const parts = Object.entries(value).map(([key, part]) => `${JSON.stringify(key)}: ${inline(part)}`);
  return parts.length ? `{ ${parts.join(', ')} }` : '{}';
}
