/**
 * A line of results, as far as a summary reads it. A full check by the schema of results would take longer than the summary itself: the
 * parts that are read are checked here, and a record that is shown is checked as a whole.
 */
import { ElsewiseError } from '../../documents/error.js';
import type { RowValue } from '../../documents/model-document.js';
import type { TargetDocument } from '../../documents/policy-document.js';
import type { Reason, ResultDocument } from '../../documents/result-document.js';

export interface PersonChange {
  readonly feature: string;
  /** Undefined in a brief result. */
  readonly from?: RowValue;
  readonly to: RowValue;
}

export interface PersonAnswer {
  readonly cost: number;
  readonly score: number;
  readonly changes: readonly PersonChange[];
  readonly proof: 'optimal' | 'gap' | 'heuristic';
  readonly gap: number | null;
  readonly solver?: string;
  /** One of several targets. */
  readonly target?: TargetDocument;
}

export interface PersonResult
  extends Pick<ResultDocument, 'id' | 'status' | 'degraded' | 'limitedBy' | 'model' | 'policy'> {
  /** Undefined in a brief result. */
  readonly target: ResultDocument['target'] | undefined;
  /** All targets of a result that has several. */
  readonly targets?: readonly TargetDocument[];
  readonly isBrief: boolean;
  readonly factual: ResultDocument['factual'];
  /** The cheapest answer. */
  readonly answer: PersonAnswer | undefined;
  readonly reason: Reason | undefined;
}

type Fields = Readonly<Record<string, unknown>>;

const STATUSES = new Set(['found', 'already', 'infeasible', 'not-found', 'invalid']);
const PROOFS = new Set(['optimal', 'gap', 'heuristic']);
const NOT_JSON = 'this is no JSON: results are read as NDJSON, with one result per line, and not as CSV or Parquet';
const NO_RESULT = 'this is no result of elsewise: expected a line of `elsewise explain` or `elsewise batch wait`';

/** Reads lines in order: the first line of brief results names model and policy for the lines behind it. */
export class PersonResultReader {
  #brief: Pick<PersonResult, 'model' | 'policy'> | undefined;

  /** Undefined: the line is no person. Throws an error without a place. Messages do not quote the line, which holds personal data. */
  read(line: string): PersonResult | undefined {
    const result = parse(line);
    if (result.schema === 'elsewise.result/v1') return readFull(result);
    if (result.schema === 'elsewise.brief/v1') this.#brief = readSources(result);
    else if (result.schema === undefined && this.#brief) return readBrief(result, this.#brief);
    else throw refuse(typeof result.schema === 'string' ? `${NO_RESULT}, got another kind of document` : NO_RESULT);
    return undefined;
  }
}

function parse(line: string): Fields {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    throw refuse(NOT_JSON);
  }
  if (!isFields(value)) throw refuse(NO_RESULT);
  return value;
}

function readFull(result: Fields): PersonResult {
  const { target, targets: rungs, factual, counterfactuals } = result as unknown as ResultDocument;
  const { model, policy } = readSources(result);
  expect(factual === null || (isFields(factual) && isFields(factual.features) && isNumber(factual.score)), 'factual');
  expect(Array.isArray(counterfactuals), 'counterfactuals');
  expect(rungs === undefined || (Array.isArray(rungs) && rungs.every(isFields)), 'targets');
  const answer = cheapest(counterfactuals.map(fullAnswer));
  const targets = rungs?.map((rung) => rung.target);
  return { ...common(result, answer), isBrief: false, model, policy, target, targets, factual };
}

function readSources(result: Fields): Pick<ResultDocument, 'model' | 'policy'> {
  const { model, policy } = result as unknown as ResultDocument;
  expect(isFields(model) && isText(model.name) && isText(model.digest), 'model');
  expect(isFields(policy) && isText(policy.name) && isText(policy.digest), 'policy');
  return { model, policy };
}

function readBrief(result: Fields, sources: Pick<PersonResult, 'model' | 'policy'>): PersonResult {
  const { answers = [] } = result;
  expect(Array.isArray(answers), 'answers');
  const answer = cheapest((answers as unknown[]).map(briefAnswer));
  return { ...common(result, answer), ...sources, isBrief: true, target: undefined, factual: null };
}

function common(result: Fields, answer: PersonAnswer | undefined) {
  const { id, status, reason, degraded = false, limitedBy } = result as unknown as ResultDocument;
  expect(typeof id === 'string', 'id');
  expect(STATUSES.has(status), 'status');
  expect(reason === undefined || isReason(reason), 'reason');
  expect((status === 'found') === (answer !== undefined), 'status');
  return { id, status, reason, degraded, limitedBy, answer };
}

function fullAnswer(answer: ResultDocument['counterfactuals'][number], i: number): PersonAnswer {
  const place = `counterfactuals[${i}]`;
  expect(isFields(answer) && isFields(answer.proof), place);
  const { cost, score, changes, proof, solver, target } = answer;
  expect(Array.isArray(changes) && changes.every(isChange), `${place}.changes`);
  return checked({ cost, score, changes, proof: proof.kind, gap: proof.gap, solver, target }, place);
}

function briefAnswer(answer: unknown, i: number): PersonAnswer {
  const place = `answers[${i}]`;
  expect(isFields(answer) && isFields(answer.changes), place);
  const { cost, score, changes, proof, gap = null } = answer as Fields & { changes: Record<string, RowValue> };
  const listed = Object.entries(changes).map(([feature, to]) => ({ feature, to }));
  return checked({ cost, score, changes: listed, proof, gap } as PersonAnswer, place);
}

function checked(answer: PersonAnswer, place: string): PersonAnswer {
  expect(isNumber(answer.cost) && answer.cost >= 0, `${place}.cost`);
  expect(isNumber(answer.score), `${place}.score`);
  expect(PROOFS.has(answer.proof) && (answer.gap === null || isNumber(answer.gap)), `${place}.proof`);
  return answer;
}

/** Answers are listed by cost, except those of several levers. */
function cheapest(answers: readonly PersonAnswer[]): PersonAnswer | undefined {
  let best = answers[0];
  for (const answer of answers) if (answer.cost < best.cost) best = answer;
  return best;
}

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isNumber = (value: unknown): value is number => Number.isFinite(value);
const isChange = (change: unknown): boolean =>
  isFields(change) && typeof change.feature === 'string' && change.to !== undefined;

function isReason(reason: unknown): boolean {
  if (!isFields(reason) || typeof reason.message !== 'string') return false;
  const { blocking = [], faults = [], relaxation } = reason;
  return isListOf(blocking, isText) && isListOf(faults, isFault) && (!isFields(relaxation) || isRelaxation(relaxation));
}

const isText = (value: unknown): boolean => typeof value === 'string';
const isListOf = (value: unknown, holds: (one: unknown) => boolean): boolean =>
  Array.isArray(value) && value.every(holds);
const isFault = (fault: unknown): boolean => isFields(fault) && isText(fault.path) && isText(fault.message);
const isRelaxation = ({ entry, cost }: Fields): boolean => isText(entry) && isNumber(cost) && cost >= 0;

function expect(holds: boolean, place: string): asserts holds {
  if (!holds) throw refuse(`this is a broken result: \`${place}\` is missing or does not fit`);
}

const refuse = (message: string): ElsewiseError => new ElsewiseError('bad-input', message);
