/** Answers: are they answers, is what is said of them true, and is there nothing cheaper where that is claimed? */
import { isSame, kindOf, numbersOf, type Row, shownValue } from '../evaluate/features.js';
import type { Question } from '../question.js';
import { changedKey, enumerateSets } from './enumerate.js';
import { type Fault, fault } from './fault.js';
import { choicesOf, type Knowledge } from './knowledge.js';
import type { Answer, Result } from './product.js';
import { judgeRegion } from './region.js';

export interface Context {
  question: Question;
  knowledge: Knowledge;
  /** Up to a cost, where one is given. */
  know(question: Question, cutoff?: number): Promise<Knowledge>;
}

/** A claim of optimality is one up to a millionth. */
const OPTIMAL = 1e-6;

export function judgeFound(result: Result, context: Context): Fault[] {
  const { question, knowledge } = context;
  const answers = result.counterfactuals;
  if (!answers.length) return [fault('no-answer', 'found, but there is none')];
  const each = answers.flatMap((answer) => judgeAnswer(answer, question));
  const first = judgeProof(answers[0], question, knowledge);
  const regions = answers.flatMap((answer) => (answer.region ? judgeRegion(answer, question) : []));
  return [...each, ...first, ...judgeCount(result, context), ...regions];
}

const pointOf = (answer: Answer, question: Question): Float64Array =>
  numbersOf(question.features, answer.features as Row);

function judgeAnswer(answer: Answer, question: Question): Fault[] {
  const point = pointOf(answer, question);
  const where = JSON.stringify(answer.features);
  const faults: Fault[] = [];
  const changes = question.changeFaults(point);
  if (changes.length) faults.push(fault('breaks-policy', changes.join('; ')));
  if (question.changedCount(point) > question.maxChanges)
    faults.push(fault('breaks-policy', `${question.changedCount(point)} features change`));
  if (question.keepsConditions(point) === 'no')
    faults.push(fault('breaks-policy', `a condition is broken at ${where}`));
  if (question.hasTarget(point) === 'no') faults.push(fault('no-answer', `${where} scores ${question.scores(point)}`));
  return [...faults, ...judgeWords(answer, question, point)];
}

/** What the result says of an answer: its cost, changes, distances, prediction and score. */
function judgeWords(answer: Answer, question: Question, point: Float64Array): Fault[] {
  const faults: Fault[] = [];
  const cost = question.costOf(point);
  if (Math.abs(cost - answer.cost) > Math.max(1e-9, question.cost.error) * cost + question.costDoubt(point))
    faults.push(fault('wrong-cost', `${answer.cost}, it is ${cost}`));
  const said = JSON.stringify(answer.changes);
  const expected = question.features.flatMap((feature, f) =>
    isSame(point[f], question.factual[f])
      ? []
      : [{ feature: feature.name, from: shownValue(feature, question.factual[f]), to: shownValue(feature, point[f]) }],
  );
  if (said !== JSON.stringify(expected))
    faults.push(fault('wrong-changes', `${said}, they are ${JSON.stringify(expected)}`));
  if (!expected.length) faults.push(fault('no-answer', 'nothing changes'));
  faults.push(...judgeDistances(answer, question, point));
  const predicted = question.predicted(point);
  if (question.classes.length && predicted >= 0 && question.classes[predicted] !== answer.prediction)
    faults.push(fault('wrong-prediction', `${answer.prediction}, it is ${question.classes[predicted]}`));
  const scores = question.scores(point);
  const score = Math.max(...question.goals.map(({ index }) => scores[index]));
  const error = 1e-9 * Math.abs(score) + 1e3 * question.scoreError(point);
  if (scores.length && Math.abs(score - answer.score) > error)
    faults.push(fault('wrong-score', `${answer.score}, it is ${score}`));
  return faults;
}

function judgeDistances(answer: Answer, question: Question, point: Float64Array): Fault[] {
  const sizes = question.features.flatMap((feature, f) => {
    if (isSame(point[f], question.factual[f])) return [];
    return [kindOf(feature) === 'one-hot' ? 1 : Math.abs(point[f] - question.baseline[f])];
  });
  const l1 = sizes.reduce((sum, size) => sum + size, 0);
  const l2 = Math.hypot(...sizes);
  const { distances } = answer;
  const right = distances.l0 === sizes.length && isClose(distances.l1, l1) && isClose(distances.l2, l2);
  return right
    ? []
    : [fault('wrong-distances', `${JSON.stringify(distances)}, they are ${sizes.length}, ${l1}, ${l2}`)];
}

const isClose = (a: number, b: number): boolean => Math.abs(a - b) <= 1e-9 * Math.abs(b) + 1e-300;

function judgeProof(answer: Answer, question: Question, { best, point, bestNear, exact }: Knowledge): Fault[] {
  const { kind, lowerBound, gap } = answer.proof;
  const faults: Fault[] = [];
  const better = () => `${best} is possible: ${JSON.stringify(point && [...point])}; said by ${answer.solver}`;
  const slack = Math.max(1e-9, question.cost.error);
  const doubt = question.costDoubt(pointOf(answer, question));
  if (kind === 'optimal' && best < answer.cost * (1 - 1.01 * OPTIMAL - slack) - doubt)
    faults.push(fault('false-optimal', `${answer.cost} as optimum, ${better()}`));
  else if (lowerBound !== null && lowerBound > best * (1 + (kind === 'optimal' ? OPTIMAL : 0) + slack) + doubt)
    faults.push(fault('false-bound', `lower bound ${lowerBound}, ${better()}`));
  if (exact && answer.cost < Math.min(best, bestNear) * (1 - slack) - doubt)
    faults.push(fault('oracle-missed', `cost ${answer.cost}, the cheapest of all is ${best}, near ${bestNear}`));
  if (kind !== 'heuristic' && (lowerBound === null || gap === null || lowerBound > answer.cost * (1 + slack)))
    faults.push(fault('wrong-proof', JSON.stringify(answer.proof)));
  if (kind === 'optimal' && gap !== 0) faults.push(fault('wrong-proof', JSON.stringify(answer.proof)));
  return faults;
}

/** In some feature the categories differ, or one change is at least twice the other, or they go opposite ways. */
function areFarApart({ features, baseline }: Question, a: ArrayLike<number>, b: ArrayLike<number>): boolean {
  return features.some((feature, f) => {
    if (feature.type === 'categorical' && feature.encoding !== 'ordinal') return a[f] !== b[f];
    const [small, large] = [a[f] - baseline[f], b[f] - baseline[f]].sort((x, y) => Math.abs(x) - Math.abs(y));
    return Math.abs(large) > 0 && (small * large < 0 || 2 * Math.abs(small) <= Math.abs(large) * (1 + 1e-9));
  });
}

/** Answers that change pairwise different sets of features, or the same set far apart. */
function judgeCount(result: Result, { question }: Context): Fault[] {
  const { count = 1 } = question.source.policy;
  const answers = result.counterfactuals;
  if (count === 1) return answers.length === 1 ? [] : [fault('count-too-few', `${answers.length} answers for one`)];
  const points = answers.map((answer) => pointOf(answer, question));
  const keys = points.map((point) => changedKey(question, point));
  const repeats = (k: number) =>
    points.slice(0, k).some((point, i) => keys[i] === keys[k] && !areFarApart(question, point, points[k]));
  const faults: Fault[] = [];
  if (keys.some((_, k) => repeats(k))) faults.push(fault('count-repeats-a-set', keys.join(' | ')));
  if (answers.length > count) faults.push(fault('count-repeats-a-set', `${answers.length} answers for ${count}`));
  const costs = answers.map(({ cost }) => cost);
  if (costs.some((cost, i) => i > 0 && cost < costs[i - 1] * (1 - 1e-9)))
    faults.push(fault('count-not-cheapest', `not in the order of their costs: ${costs}`));
  const choices = choicesOf(question);
  return choices ? [...faults, ...judgeSets(result, question, choices, count)] : faults;
}

function judgeSets(result: Result, question: Question, choices: number[][], count: number): Fault[] {
  const answers = result.counterfactuals;
  const certain = [...enumerateSets(question, choices).values()].map(({ best }) => best).filter(Number.isFinite);
  certain.sort((a, b) => a - b);
  const slack = OPTIMAL + question.cost.error;
  for (const [i, answer] of answers.entries()) {
    if (answer.proof.kind !== 'optimal' || result.degraded || certain[i] === undefined) continue;
    if (answer.cost > certain[i] * (1 + slack) + question.costDoubt(pointOf(answer, question)))
      return [
        fault(
          'count-not-cheapest',
          `answer ${i} costs ${answer.cost}, it could be ${certain[i]}; degraded ${result.degraded}`,
        ),
      ];
  }
  if (answers.length < Math.min(count, certain.length) && !result.degraded)
    return [fault('count-too-few', `${answers.length} of ${count}, there are ${certain.length}`)];
  return [];
}
