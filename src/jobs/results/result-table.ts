/**
 * Results as a table for people: a line per answer, or one line for a row without an answer.
 *
 *   id, status, answer, prediction, score, newPrediction, newScore, cost, proof, gap, changes, reason
 *   lever                  where the policy names levers
 *   reasons                where the policy asks for reasons: features in the order of their cost
 *   target                 where the policy names several targets: the target of the answer
 *   band, newBand          where the model has bands
 *   NAME, NAME (new)       for each feature. The second column exists where the policy lets the feature change, and has a value where
 *                          this answer changes the feature
 *   plan                   a short digest of model and policy, for `--resume`
 *
 * `answer` counts the answers of a row from 1. A feature whose name is already used has the column `features.NAME`. The layout is plain data:
 * a thread that has loaded the model computes the layout, and the main loop of the API builds tables from the layout.
 */
import type { RowValue } from '../../documents/model-document.js';
import type { CounterfactualDocument, ReasonCode, ResultDocument } from '../../documents/result-document.js';
import { faultsInWords } from '../../documents/row-error.js';
import type { Feature } from '../../models/features.js';
import type { LoadedModel } from '../../models/load.js';
import type { Policy } from '../../policy/policy.js';
import { targetText } from '../rows/row.js';
import { planDigest } from '../threads/shared-documents.js';

export type CellType = 'text' | 'integer' | 'number' | 'boolean';

export interface TableColumn {
  readonly name: string;
  readonly type: CellType;
}

export interface Table<T> {
  readonly columns: readonly TableColumn[];
  /** The lines of an answer to one row: values in the order of the columns. */
  lines(answer: T): RowValue[][];
}

export interface TableFeature extends TableColumn {
  readonly unit: string;
  readonly mayChange: boolean;
}

/** The facts about model and policy that decide the columns of a table. */
export interface TableLayout {
  readonly plan: string;
  readonly prediction: CellType;
  readonly features: readonly TableFeature[];
  readonly hasLevers: boolean;
  readonly hasReasons: boolean;
  readonly hasTargets: boolean;
  readonly hasBands: boolean;
}

export const CELLS: Readonly<Record<Feature['kind'], CellType>> = {
  continuous: 'number',
  integer: 'integer',
  boolean: 'boolean',
  ordinal: 'text',
  choice: 'text',
};

export const predictionCell = ({ task }: Pick<LoadedModel, 'task'>): CellType =>
  task === 'regression' ? 'number' : 'text';

export function tableLayout(model: LoadedModel, { digest, document }: Policy): TableLayout {
  return {
    plan: planDigest(model.digest, digest),
    prediction: predictionCell(model),
    features: model.space.features.map(({ name, kind, unit }) => {
      return { name, type: CELLS[kind], unit, mayChange: document.features?.[name]?.change !== 'never' };
    }),
    hasLevers: document.levers !== undefined,
    hasReasons: document.reasons !== undefined,
    hasTargets: document.targets !== undefined,
    hasBands: model.bands.length > 0,
  };
}

export function createResultTable(layout: TableLayout): Table<ResultDocument> {
  return {
    columns: columnsOf(layout),
    lines(result) {
      const answers = result.counterfactuals.length ? result.counterfactuals : [undefined];
      const reason = reasonInWords(result);
      return answers.map((answer, k) => lineOf(layout, result, answer, k + 1, reason));
    },
  };
}

/** The columns that only some plans have. */
const OPTIONAL: readonly OptionalColumn[] = [
  { name: 'lever', key: 'hasLevers', cell: (_, answer) => answer?.lever },
  { name: 'reasons', key: 'hasReasons', cell: ({ reasons }) => reasons && reasonsInWords(reasons) },
  { name: 'target', key: 'hasTargets', cell: (_, answer) => answer?.target && targetText(answer.target) },
  { name: 'band', key: 'hasBands', cell: ({ decision }) => decision?.band },
  { name: 'newBand', key: 'hasBands', cell: (_, answer) => answer?.band },
];

interface OptionalColumn {
  readonly name: string;
  readonly key: 'hasLevers' | 'hasReasons' | 'hasTargets' | 'hasBands';
  cell(result: ResultDocument, answer: CounterfactualDocument | undefined): RowValue | undefined;
}

function columnsOf({ prediction, features, ...layout }: TableLayout): TableColumn[] {
  const before: TableColumn[] = [
    { name: 'id', type: 'text' },
    { name: 'status', type: 'text' },
    { name: 'answer', type: 'integer' },
    { name: 'prediction', type: prediction },
    { name: 'score', type: 'number' },
    { name: 'newPrediction', type: prediction },
    { name: 'newScore', type: 'number' },
    { name: 'cost', type: 'number' },
    { name: 'proof', type: 'text' },
    { name: 'gap', type: 'number' },
    { name: 'changes', type: 'text' },
    { name: 'reason', type: 'text' },
    ...OPTIONAL.filter(({ key }) => layout[key]).map(({ name }): TableColumn => ({ name, type: 'text' })),
  ];
  const pairs = features.flatMap(({ name, type, mayChange }) =>
    mayChange
      ? [
          { name, type },
          { name: `${name} (new)`, type },
        ]
      : [{ name, type }],
  );
  return [
    ...before,
    ...withOwnNames(pairs, [...before.map(({ name }) => name), 'plan']),
    { name: 'plan', type: 'text' },
  ];
}

function withOwnNames(columns: readonly TableColumn[], used: readonly string[]): TableColumn[] {
  const taken = new Set(used);
  return columns.map(({ name, type }) => {
    let own = name;
    while (taken.has(own)) own = `features.${own}`;
    taken.add(own);
    return { name: own, type };
  });
}

function lineOf(
  { features, plan, ...layout }: TableLayout,
  result: ResultDocument,
  answer: CounterfactualDocument | undefined,
  number: number,
  reason: string | null,
): RowValue[] {
  const { id, status, factual } = result;
  const line: RowValue[] = [id, status, answer ? number : null, factual?.prediction ?? null, factual?.score ?? null];
  line.push(answer?.prediction ?? null, answer?.score ?? null, answer?.cost ?? null);
  line.push(
    answer?.proof.kind ?? null,
    answer?.proof.gap ?? null,
    answer ? changesInWords(answer, features) : null,
    reason,
  );
  for (const { key, cell } of OPTIONAL) if (layout[key]) line.push(cell(result, answer) ?? null);
  const changed = new Map(answer?.changes.map(({ feature, to }) => [feature, to]));
  for (const { name, mayChange } of features) {
    line.push(factual?.features[name] ?? null);
    if (mayChange) line.push(changed.get(name) ?? null);
  }
  line.push(plan);
  return line;
}

/** `income from 2100 to 2600 EUR/month; housing from rent to own`. Numbers are written as reported. */
function changesInWords({ changes }: CounterfactualDocument, features: readonly TableFeature[]): string {
  return changes
    .map(({ feature, from, to }) => `${feature} from ${say(from)} to ${say(to)}${unitOf(feature)}`)
    .join('; ');

  function unitOf(name: string): string {
    const unit = features.find((feature) => feature.name === name)?.unit;
    return unit ? ` ${unit}` : '';
  }
}

/** `income -0.81 (52 %, enough alone); age -0.4 (26 %, not enough alone)` */
function reasonsInWords(reasons: readonly ReasonCode[]): string {
  return reasons
    .map(
      ({ feature, contribution, share, alone }) =>
        `${feature} ${Number(contribution.toPrecision(CONTRIBUTION_DIGITS))} (${Math.round(100 * share)} %, ${ALONE[`${alone}`]})`,
    )
    .join('; ');
}

const CONTRIBUTION_DIGITS = 4;

const ALONE: Readonly<Record<`${ReasonCode['alone']}`, string>> = {
  true: 'enough alone',
  false: 'not enough alone',
  undetermined: 'undetermined alone',
};

const say = (value: RowValue): string => (value === null ? 'missing' : String(value));

/** The reason for a row, for a lever or for a target, without an answer. */
function reasonInWords({ status, reason, levers = [], targets = [] }: ResultDocument): string | null {
  if (status === 'already') return 'the row has the target already';
  const blocked = [
    ...levers.flatMap((own) => (own.reason ? [`by ${own.lever}: ${own.reason.message}`] : [])),
    ...targets.flatMap((own) => (own.reason ? [`for ${targetText(own.target)}: ${own.reason.message}`] : [])),
  ];
  if (blocked.length) return blocked.join('; ');
  if (!reason) return null;
  const { path = '', message } = reason;
  return status === 'invalid' ? faultsInWords(reason.faults ?? [{ path, message }]) : message;
}
