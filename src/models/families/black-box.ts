/**
 * A model with known scores only: an ONNX file, or a scorer behind HTTP. The model computes nothing. Its raw outputs are recalled from a
 * memory that the driver of the explanation fills (score-memory.ts).
 *
 *   probabilities   raw p_1 ... p_K;   class  arg max p, the lower class where two are equal
 *   labels          raw k, the index of the class;   reported as 1 for this class and 0 for the others
 *   prediction      raw y, of a regressor
 *
 * The region is unknown. The margin is in score: for two classes  p_t >= 1/2 + margin,  for several the lead over the best rival.
 */
import { ElsewiseError } from '../../documents/error.js';
import { isVolatile, type ScoringParameters, scoringSchema } from '../../documents/scorer-document.js';
import { defineFamily, EVEN_PROBABILITIES, type FamilyContext, type Model, type Thresholds } from '../family.js';
import { goalMargin, leadOf } from '../margins.js';
import type { Goal, Region } from '../region.js';
import { ScoreMemory } from '../score-memory.js';

class BlackBox implements Model {
  readonly memory = new ScoreMemory();
  readonly rawOutputs: number;
  readonly volatile: boolean;
  readonly thresholds?: Thresholds;
  private readonly shown: Float64Array;

  constructor(
    readonly scoring: ScoringParameters,
    private readonly classes: number,
  ) {
    this.rawOutputs = scoring.outputs === 'probabilities' ? classes : 1;
    this.volatile = isVolatile(scoring.scorer);
    if (classes === 2 && scoring.outputs === 'probabilities') this.thresholds = EVEN_PROBABILITIES;
    this.shown = new Float64Array(Math.max(1, classes));
  }

  raw(x: Float64Array, out: Float64Array): void {
    this.memory.recall(x, out);
  }

  scores(raw: Float64Array, out: Float64Array): void {
    if (this.scoring.outputs === 'labels') out.fill(0)[raw[0]] = 1;
    else out.set(raw);
  }

  decide(raw: Float64Array): number {
    if (!this.classes) return 0;
    return this.scoring.outputs === 'labels' ? raw[0] : raw.indexOf(Math.max(...raw));
  }

  achieves(raw: Float64Array, goal: Goal): boolean {
    this.scores(raw, this.shown);
    const own = this.shown[goal.index];
    if (goal.kind === 'interval') return own >= goal.from && own <= goal.to;
    if (this.decide(raw) !== goal.index) return false;
    if (goal.margin === 0) return true;
    return this.classes === 2 ? own >= 0.5 + goal.margin : leadOf(this.shown, goal.index) >= goal.margin;
  }

  margin(raw: Float64Array, goal: Goal): number {
    this.scores(raw, this.shown);
    if (goal.kind === 'class' && this.classes === 2) return this.shown[goal.index] - 0.5 - goal.margin;
    return goalMargin(this.shown, goal);
  }

  region(): Region {
    return 'unknown';
  }
}

function checkOutputs({ outputs }: ScoringParameters, { classes }: FamilyContext): void {
  if ((outputs === 'prediction') === (classes === 0)) return;
  const message = classes
    ? 'a model with classes gives "probabilities" or "labels"'
    : 'a model without classes gives a "prediction"';
  throw new ElsewiseError('bad-document', message, 'model.parameters.outputs');
}

export const blackBox = defineFamily({
  name: 'black-box',
  task: 'either',
  schema: scoringSchema,
  load(parameters, context) {
    checkOutputs(parameters, context);
    return new BlackBox(parameters, context.classes);
  },
});
