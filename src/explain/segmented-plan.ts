/**
 * A plan for a model whose threshold depends on a feature (models/decision/segments.ts): for each threshold the plan of the model with that
 * threshold, made when the first row needs the plan. No answer changes the feature, so one plan knows all about a person.
 */
import { ElsewiseError } from '../documents/error.js';
import type { RowValue } from '../documents/model-document.js';
import type { ResultDocument } from '../documents/result-document.js';
import type { RowFault } from '../documents/row-error.js';
import { modelOf } from '../models/decision/segments.js';
import type { Model } from '../models/family.js';
import { readValue } from '../models/features.js';
import { eachSegment, type LoadedModel } from '../models/load.js';
import { recordOf } from '../models/read-row.js';
import type { Policy } from '../policy/policy.js';
import type { Recheck } from './checks/recheck.js';
import type { Claims } from './checks/reprove.js';
import type { Engine } from './engines.js';
import type { Plan, Row, RowSteps } from './plan-contract.js';
import type { ResultDetail } from './result.js';
import { explainRow, explainRowSteps } from './row-by-name.js';

/** The memory of a plan without its model, which all plans share. */
export interface SegmentPlan extends Plan {
  readonly ownBytes: number;
}

type RawRecord = readonly (RowValue | undefined)[];

export class SegmentedPlan implements Plan {
  private readonly variants: ReadonlyMap<Model, LoadedModel>;
  private readonly plans = new Map<Model, SegmentPlan>();
  /** The plan of the last row. */
  private latest: SegmentPlan;

  /** `build`: the plan of the model with one threshold. */
  constructor(
    readonly model: LoadedModel,
    readonly policy: Policy,
    private readonly build: (variant: LoadedModel) => SegmentPlan,
  ) {
    this.variants = eachSegment(model);
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
    return explainRow(this, row);
  }

  explainSteps(row: Row): RowSteps {
    return explainRowSteps(this, row);
  }

  explainRecord(id: string, raw: RawRecord, target?: unknown, detail?: ResultDetail): ResultDocument {
    return this.planFor(raw).explainRecord(id, raw, target, detail);
  }

  explainRecordSteps(id: string, raw: RawRecord, target?: unknown): RowSteps {
    return this.planFor(raw).explainRecordSteps(id, raw, target);
  }

  invalid(id: string, faults: readonly RowFault[]): ResultDocument {
    return this.latest.invalid(id, faults);
  }

  recheck(result: ResultDocument): Recheck {
    return this.planFor(recordOf(this.model, result.factual!.features)).recheck(result);
  }

  reprove(claims: Claims): readonly string[] {
    return this.planFor(recordOf(this.model, claims.factual!.features)).reprove(claims);
  }

  /** The plan of a row's segment. Every plan tells the faults of a row whose segment cannot be read. */
  private planFor(raw: RawRecord): SegmentPlan {
    const segments = this.model.segments!;
    try {
      const model = modelOf(segments, readValue(segments.feature, raw[segments.feature.index]));
      if (model) this.latest = this.planOf(model);
    } catch (error) {
      if (!(error instanceof ElsewiseError)) throw error;
    }
    return this.latest;
  }

  private planOf(model: Model): SegmentPlan {
    const plan = this.plans.get(model) ?? this.build(this.variants.get(model)!);
    this.plans.set(model, plan);
    return plan;
  }
}
