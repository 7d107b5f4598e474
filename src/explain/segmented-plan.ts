/**
 * A plan for a model whose threshold depends on a feature (models/decision/segments.ts): for each threshold the plan of the model with that
 * threshold, made when the first row needs the plan. No answer changes the feature, so one plan knows all about a person.
 */
import { ElsewiseError } from '../documents/error.js';
import type { RowValue } from '../documents/model-document.js';
import type { ResultDocument } from '../documents/result-document.js';
import type { RowFault } from '../documents/row-error.js';
import { modelAt } from '../models/decision/segments.js';
import type { Model } from '../models/family.js';
import { eachSegment, type LoadedModel } from '../models/load.js';
import { readRecord, recordOf } from '../models/read-row.js';
import { readId, shapeFault } from '../models/rows/row-shape.js';
import type { Policy } from '../policy/policy.js';
import type { Recheck } from './checks/recheck.js';
import type { Claims } from './checks/reprove.js';
import type { Engine } from './engines.js';
import type { Plan, Row } from './plan-contract.js';
import type { ResultDetail } from './result.js';

/** The memory of a plan without its model, which all plans share. */
export interface SegmentPlan extends Plan {
  readonly ownBytes: number;
}

type RawRecord = readonly (RowValue | undefined)[];
type Steps = Generator<readonly Float64Array[], ResultDocument, readonly Float64Array[]>;

export class SegmentedPlan implements Plan {
  private readonly variants: ReadonlyMap<Model, LoadedModel>;
  private readonly plans = new Map<Model, SegmentPlan>();
  private readonly scratch: Float64Array;
  /** The plan of the last row. */
  private latest: SegmentPlan;

  /** `build`: the plan of the model with one threshold. */
  constructor(
    readonly model: LoadedModel,
    readonly policy: Policy,
    private readonly build: (variant: LoadedModel) => SegmentPlan,
  ) {
    this.variants = eachSegment(model);
    this.scratch = new Float64Array(model.space.features.length);
    this.latest = this.planOf([...this.variants.keys()][0]);
  }

  get bytes(): number {
    const [first, ...others] = this.plans.values();
    return others.reduce((sum, { ownBytes }) => sum + ownBytes, first.bytes);
  }

  get engines(): readonly Engine[] {
    return this.latest.engines;
  }

  get values(): Float64Array {
    return this.latest.values;
  }

  explain(row: Row): ResultDocument {
    const id = readId(row);
    const fault = shapeFault(row);
    return fault ? this.invalid(id, [fault]) : this.explainRecord(id, recordOf(this.model, row.features), row.target);
  }

  *explainSteps(row: Row): Steps {
    const id = readId(row);
    const fault = shapeFault(row);
    if (fault) return this.invalid(id, [fault]);
    return yield* this.explainRecordSteps(id, recordOf(this.model, row.features), row.target);
  }

  explainRecord(id: string, raw: RawRecord, target?: unknown, detail?: ResultDetail): ResultDocument {
    const plan = this.planFor(raw);
    return plan instanceof ElsewiseError
      ? this.withoutSegment(id, raw, plan, target)
      : plan.explainRecord(id, raw, target, detail);
  }

  *explainRecordSteps(id: string, raw: RawRecord, target?: unknown): Steps {
    const plan = this.planFor(raw);
    if (plan instanceof ElsewiseError) return this.withoutSegment(id, raw, plan, target);
    return yield* plan.explainRecordSteps(id, raw, target);
  }

  invalid(id: string, faults: readonly RowFault[]): ResultDocument {
    return this.latest.invalid(id, faults);
  }

  recheck(result: ResultDocument): Recheck {
    const plan = this.planFor(recordOf(this.model, result.factual!.features));
    if (plan instanceof ElsewiseError) throw plan;
    return plan.recheck(result);
  }

  reprove(claims: Claims): readonly string[] {
    const plan = this.planFor(recordOf(this.model, claims.factual!.features));
    if (plan instanceof ElsewiseError) throw plan;
    return plan.reprove(claims);
  }

  /** The plan of a row's segment. An error: the row cannot be read, or lacks its segment. */
  private planFor(raw: RawRecord): SegmentPlan | ElsewiseError {
    try {
      readRecord(this.model, raw, this.scratch);
      this.latest = this.planOf(modelAt(this.model.segments!, this.scratch));
      return this.latest;
    } catch (error) {
      if (error instanceof ElsewiseError) return error;
      throw error;
    }
  }

  /** The result of a row that has no segment. Any plan tells all other faults of the row. */
  private withoutSegment(id: string, raw: RawRecord, { path, detail }: ElsewiseError, target: unknown): ResultDocument {
    const result = this.latest.explainRecord(id, raw, target);
    return result.status === 'invalid' ? result : this.invalid(id, [{ path, message: detail }]);
  }

  private planOf(model: Model): SegmentPlan {
    const plan = this.plans.get(model) ?? this.build(this.variants.get(model)!);
    this.plans.set(model, plan);
    return plan;
  }
}
