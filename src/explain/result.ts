/** Assembles result documents: the same keys in the same order for every row. */
import type { RowValue } from '../documents/model-document.js';
import type { TargetDocument } from '../documents/policy-document.js';
import type {
  Attempt,
  CounterfactualDocument,
  DecidedDocument,
  LeverDocument,
  Proof,
  Reason,
  ReasonCode,
  RegionDocument,
  ResultDocument,
  RungDocument,
  ShownPath,
  ShownPlausibility,
} from '../documents/result-document.js';
import type { RowFault } from '../documents/row-error.js';
import { bandAt } from '../models/decision/bands.js';
import { type FeatureSpace, showValue, spread } from '../models/features.js';
import type { LoadedModel, Scorer } from '../models/load.js';
import type { Goal } from '../models/region.js';
import type { Defaults, SettledPolicy } from '../policy/defaults.js';
import type { Plausibility } from '../policy/plausibility/plausibility-measure.js';
import { reportedScore, scoredIndex } from '../policy/target.js';
import { isSame } from '../policy/values.js';
import type { Budget, Strike } from '../problems/budget.js';
import type { FoundPath } from './paths/found-path.js';
import type { Settled } from './settle.js';

export interface ReportedAnswer {
  readonly settled: Settled;
  readonly solver: string;
  readonly lowerBound: number;
  /** The box around the answer in which every point is an answer, if the policy asks for it. */
  readonly region?: RegionDocument;
  /** The lever whose features the answer may change. */
  readonly lever?: string;
  /** The target of the answer, if the policy names several. */
  readonly rung?: Subject;
  /** The path to the answer over rows of the background, if the policy asks for it. */
  readonly path?: FoundPath;
}

/** The conclusion of a person's search. */
export interface Conclusion {
  readonly status: 'found' | 'infeasible' | 'not-found';
  readonly answers: readonly ReportedAnswer[];
  readonly reason?: Reason;
  readonly degraded: boolean;
  /** By lever, if the policy names levers. */
  readonly levers?: LeverDocument[];
  /** If the policy asks for reasons. */
  readonly reasons?: ReasonCode[];
  /** By target, if the policy names several. */
  readonly targets?: RungDocument[];
}

type Parts = Pick<Conclusion, 'levers' | 'targets' | 'reasons'>;

/** The record of a search: its attempts and its spent effort. */
export interface Done {
  readonly attempts: Attempt[];
  readonly budget?: Pick<Budget, 'limitedBy'>;
}

const NO_SEARCH: Done = { attempts: [] };

/** The reason without an answer, by the cause that ended the search. */
const NOT_FOUND: Record<Strike | 'numerical' | 'no-solver', Reason> = {
  time: { code: 'deadline', message: 'no answer was found before the deadline; an answer may exist' },
  effort: { code: 'effort', message: 'no answer was found within the effort; an answer may exist' },
  numerical: {
    code: 'numerical',
    message: 'no solver found an answer that the model confirmed, and no solver proved that there is none',
  },
  'no-solver': { code: 'no-solver', message: 'no solver accepts this model with this policy' },
};

export function reasonNotFound({ budget, attempts }: Done): Reason {
  return NOT_FOUND[budget?.limitedBy ?? (attempts.length ? 'numerical' : 'no-solver')];
}

const SCHEMA = 'elsewise.result/v1';
/** Gap below which an answer counts as optimal, relative to its cost. */
export const OPTIMAL_GAP = 1e-6;

/** A target as shown, its goals and its plausibility. */
export interface Subject {
  readonly shown: TargetDocument;
  readonly goals: readonly Goal[];
  readonly plausibility: Plausibility | null;
}

interface Values {
  readonly factual: Float64Array;
  readonly baseline: Float64Array;
}

/** `brief`: without the row, the values of features that stay, and distances, for a writer that leaves them out. */
export type ResultDetail = 'full' | 'brief';

const LEFT_OUT: Pick<CounterfactualDocument, 'features' | 'distances'> = {
  features: {},
  distances: { l0: 0, l1: 0, l2: 0 },
};

export class ResultWriter {
  private readonly modelTag: ResultDocument['model'];
  private readonly policyTag: ResultDocument['policy'];
  private readonly defaults: ResultDocument['defaults'];
  private readonly seed: number;
  private id = '';
  private detail: ResultDetail = 'full';
  private subject: Subject = { shown: '', goals: [], plausibility: null };
  private person: Values = { factual: new Float64Array(), baseline: new Float64Array() };
  private factual: ResultDocument['factual'] = null;
  private decision: DecidedDocument | undefined;

  constructor(
    private readonly model: LoadedModel,
    policy: SettledPolicy,
    private readonly scorer: Scorer,
  ) {
    this.modelTag = { name: model.name, version: model.version, digest: model.digest };
    this.policyTag = { name: policy.name, digest: policy.digest };
    this.defaults = showDefaults(policy.defaults);
    this.seed = policy.document.seed;
  }

  /** Notes the person and the model's output. The scorer must have scored the row last. */
  begin(id: string, subject: Subject, person: Values, detail: ResultDetail): void {
    this.id = id;
    this.subject = subject;
    this.person = person;
    this.detail = detail;
    this.factual = detail === 'full' ? { features: this.show(person.factual), ...this.standing() } : null;
    this.decision = this.decided();
  }

  already(elapsedMs: number, parts: Parts = {}): ResultDocument {
    return this.assemble('already', [], undefined, NO_SEARCH, false, elapsedMs, parts);
  }

  concluded(conclusion: Conclusion, done: Done, elapsedMs: number): ResultDocument {
    const { status, answers, reason, degraded, levers, targets, reasons } = conclusion;
    const shown = answers.map((answer) => this.counterfactual(answer));
    const parts = { levers, targets, reasons };
    return this.assemble(status, shown, reason && this.withPerson(reason), done, degraded, elapsedMs, parts);
  }

  /** The answer of some values, without knowledge about cheaper answers. */
  answer(values: Float64Array, cost: number, rung?: Subject): CounterfactualDocument {
    return this.counterfactual({ settled: { values, cost }, solver: '', lowerBound: Number.NEGATIVE_INFINITY, rung });
  }

  invalid(id: string, faults: readonly RowFault[]): ResultDocument {
    this.id = id;
    this.factual = null;
    this.decision = undefined;
    const [{ path, message }] = faults;
    const several = faults.length > 1 ? { faults: [...faults] } : {};
    const result = this.assemble('invalid', [], { code: 'invalid', message, path, ...several }, NO_SEARCH, false, 0);
    return { ...result, target: null };
  }

  private assemble(
    status: ResultDocument['status'],
    counterfactuals: CounterfactualDocument[],
    reason: Reason | undefined,
    { attempts, budget }: Done,
    degraded: boolean,
    elapsedMs: number,
    { levers, targets, reasons }: Parts = {},
  ): ResultDocument {
    const { id, modelTag: model, policyTag: policy, defaults, factual, decision, seed } = this;
    const target = this.subject.shown;
    const struck = budget?.limitedBy;
    const isTold = struck === 'time' || degraded || reason !== undefined;
    // One literal, because combining objects by spreads took as long as many a solver. An undefined reason gives no key in the JSON.
    return {
      schema: SCHEMA,
      id,
      status,
      model,
      policy,
      defaults,
      target,
      factual,
      decision,
      counterfactuals,
      reason,
      reasons,
      levers,
      targets,
      attempts,
      degraded,
      limitedBy: isTold && struck ? struck : undefined,
      seed,
      elapsedMs,
    };
  }

  private show(values: Float64Array): Record<string, RowValue> {
    const shown: Record<string, RowValue> = {};
    for (const feature of this.model.space.features) shown[feature.name] = showValue(feature, values[feature.index]);
    return shown;
  }

  /** The prediction and score of the row that was scored last. */
  private standing({ goals } = this.subject): { prediction: string | number; score: number } {
    const scores = this.scorer.show();
    const score = reportedScore(goals, scores);
    if (this.model.task === 'regression') return { prediction: scores[0], score };
    return { prediction: this.model.classes[this.model.model.decide(this.scorer.raw)], score };
  }

  /** The decision layer about the row that was scored last. */
  private decided(): DecidedDocument | undefined {
    const { document, model } = this.model;
    if (!document.decision) return undefined;
    const threshold = model.thresholds?.[1];
    const band = this.band();
    const calibrated = document.decision.calibration !== undefined;
    return { ...(threshold !== undefined && { threshold }), ...(band !== undefined && { band }), calibrated };
  }

  /** The band of the row that was scored last. Undefined: the model has no bands. */
  private band(): string | null | undefined {
    const { bands } = this.model;
    return bands.length ? (bandAt(bands, this.scorer.show()[scoredIndex(this.model)])?.name ?? null) : undefined;
  }

  private counterfactual(answer: ReportedAnswer): CounterfactualDocument {
    const { settled, solver, lowerBound, region, lever, rung, path } = answer;
    const subject = rung ?? this.subject;
    this.scorer.runValues(settled.values);
    const { values, cost } = settled;
    const { prediction, score } = this.standing(subject);
    const plausibility = subject.plausibility && this.showPlausibility(values, subject.plausibility);
    const changes = listChanges(this.model.space, this.person.factual, values);
    const { features, distances } = this.detail === 'full' ? this.whole(values, changes.length) : LEFT_OUT;
    const proof = proofOf(cost, lowerBound);
    const shown = { features, prediction, score, band: this.band(), changes, cost, distances, solver, proof };
    if (!region && lever === undefined && !rung && !path && !plausibility) return shown;
    const way = path && { path: this.showPath(path) };
    return {
      ...shown,
      ...(region && { region }),
      lever,
      ...(rung && { target: rung.shown }),
      ...way,
      ...(plausibility && { plausibility }),
    };
  }

  private showPlausibility(answer: Float64Array, { shareOf, term }: Plausibility): ShownPlausibility | undefined {
    if (!shareOf && !term) return undefined;
    const [person, found] = [this.person.factual, answer].map((values) => this.columnsOf(values));
    return {
      ...(shareOf && { person: shareOf(person), answer: shareOf(found) }),
      ...(term && { penalty: term.penalty(found), term: term.of(found) }),
    };
  }

  /** Adds the plausibility of the person, which has no answer for comparison. */
  private withPerson(reason: Reason): Reason {
    const { shareOf } = this.subject.plausibility ?? {};
    return shareOf ? { ...reason, plausibility: { person: shareOf(this.columnsOf(this.person.factual)) } } : reason;
  }

  private columnsOf(values: Float64Array): Float64Array {
    const columns = new Float64Array(this.model.space.columns);
    spread(this.model.space, values, columns);
    return columns;
  }

  private showPath({ length, steps }: FoundPath): ShownPath {
    const shown = steps.map(({ sample, values, cost }, k) => {
      this.scorer.runValues(values);
      const before = k ? steps[k - 1].values : this.person.factual;
      const changes = listChanges(this.model.space, before, values);
      return { sample, features: this.show(values), ...this.standing(), changes, cost };
    });
    return { length, steps: shown };
  }

  private whole(values: Float64Array, changed: number): typeof LEFT_OUT {
    return { features: this.show(values), distances: this.distances(values, changed) };
  }

  /** Unweighted distances in the user's units. A changed category counts 1. */
  private distances(values: Float64Array, l0: number): CounterfactualDocument['distances'] {
    const { factual, baseline } = this.person;
    let l1 = 0;
    let squares = 0;
    for (const { index, kind } of this.model.space.features) {
      if (isSame(values[index], factual[index])) continue;
      const delta = kind === 'choice' ? 1 : Math.abs(values[index] - baseline[index]);
      l1 += delta;
      squares += delta * delta;
    }
    return { l0, l1, l2: Math.sqrt(squares) };
  }
}

function showDefaults({ bounded, listed, measured }: Defaults): ResultDocument['defaults'] {
  const isBounded = bounded.length + listed.length > 0;
  if (!isBounded && !measured.length) return undefined;
  return { ...(isBounded && { bounds: 'background' }), ...(measured.length && { weights: 'mad' }) };
}

/** The features whose values differ, with both values. */
export function listChanges(
  space: FeatureSpace,
  from: Float64Array,
  to: Float64Array,
): CounterfactualDocument['changes'] {
  const changes: CounterfactualDocument['changes'] = [];
  for (const feature of space.features) {
    const { index, name } = feature;
    if (isSame(to[index], from[index])) continue;
    changes.push({ feature: name, from: showValue(feature, from[index]), to: showValue(feature, to[index]) });
  }
  return changes;
}

export function proofOf(cost: number, lowerBound: number): Proof {
  if (!(lowerBound > Number.NEGATIVE_INFINITY)) return { kind: 'heuristic', lowerBound: null, gap: null };
  const bound = Math.min(cost, Math.max(0, lowerBound));
  const gap = cost > 0 ? (cost - bound) / cost : 0;
  return gap <= OPTIMAL_GAP ? { kind: 'optimal', lowerBound: bound, gap: 0 } : { kind: 'gap', lowerBound: bound, gap };
}
