/** Small discrete questions answered by trying everything. */
import {
  changedNames,
  changeFault,
  costOf,
  type FeatureSpec,
  type Question,
  type Row,
  type RuleSpec,
  reaches,
  type Value,
} from './second-opinion.js';

/** Every value that the rule allows from here, the present one included. Only for features with finitely many. */
export function choicesOf(feature: FeatureSpec, rule: RuleSpec, from: Value): Value[] {
  const others = candidates(feature, rule, from).filter((to) => to !== from && !changeFault(feature, rule, from, to));
  return [from, ...others];
}

function candidates(feature: FeatureSpec, rule: RuleSpec, from: Value): Value[] {
  if (feature.type === 'categorical') return feature.categories!;
  if (feature.type === 'boolean') return [true, false];
  const here = from as number;
  const step = rule.step ?? (feature.type === 'integer' ? 1 : 0);
  const up = Math.min(
    rule.maxIncrease ?? Infinity,
    Math.max(0, Math.min(rule.max ?? Infinity, feature.max ?? Infinity) - here),
  );
  const down = Math.min(
    rule.maxDecrease ?? Infinity,
    Math.max(0, here - Math.max(rule.min ?? -Infinity, feature.min ?? -Infinity)),
  );
  if (!step || !Number.isFinite(up + down)) throw new Error(`${feature.name} has infinitely many values`);
  const [most, least] = [Math.floor(up / step), -Math.floor(down / step)];
  return Array.from({ length: most - least + 1 }, (_, k) => here + (least + k) * step);
}

export interface Option {
  row: Row;
  cost: number;
  changed: string[];
}

/** All answers to a question. */
export function allAnswers(question: Question): Option[] {
  const { features, rules, row, constraints, maxChanges } = question;
  let rows: Row[] = [{}];
  for (const feature of features) {
    const choices = choicesOf(feature, rules[feature.name] ?? {}, row[feature.name]);
    rows = rows.flatMap((partial) => choices.map((value) => ({ ...partial, [feature.name]: value })));
  }
  return rows
    .filter((to) => changedNames(features, row, to).length <= (maxChanges ?? Infinity))
    .filter((to) => reaches(question, to) && constraints.every(({ holds }) => holds(to)))
    .map((to) => ({ row: to, cost: costOf(question, row, to), changed: changedNames(features, row, to) }));
}

/** The cheapest answer of every set of changed features, cheapest first. */
export function cheapestBySet(answers: readonly Option[]): Option[] {
  const best = new Map<string, Option>();
  for (const answer of answers) {
    const key = answer.changed.join('\n');
    if (answer.cost < (best.get(key)?.cost ?? Infinity)) best.set(key, answer);
  }
  return [...best.values()].sort((a, b) => a.cost - b.cost);
}
