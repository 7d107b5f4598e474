/** What a target asks of a model, as written in the policy. */
export type Target =
  | string
  | string[]
  | number
  | { value: number; tolerance: number }
  | { from?: number; to?: number; class?: string };

export type Goal =
  | { kind: 'class'; index: number; margin: number }
  | { kind: 'interval'; index: number; from: number; to: number };

/** A number without a tolerance is met within a millionth of it. */
const NUMBER_TOLERANCE = 1e-6;

export function goalsOf(
  target: Target,
  classes: readonly string[] | undefined,
  margin: number,
  tolerance?: number,
): Goal[] {
  if (!classes) return [regressionGoal(target, margin, tolerance)];
  if (typeof target === 'string') return [{ kind: 'class', index: classes.indexOf(target), margin }];
  if (Array.isArray(target)) return target.map((name) => ({ kind: 'class', index: classes.indexOf(name), margin }));
  const { from, to, class: name } = target as { from?: number; to?: number; class?: string };
  return [interval(name === undefined ? 1 : classes.indexOf(name), from, to, margin)];
}

function regressionGoal(target: Target, margin: number, tolerance?: number): Goal {
  if (typeof target === 'number') {
    const slack = tolerance ?? NUMBER_TOLERANCE * Math.max(1, Math.abs(target));
    return interval(0, target - slack, target + slack, margin);
  }
  if (typeof target === 'object' && 'value' in target)
    return interval(0, target.value - target.tolerance, target.value + target.tolerance, margin);
  const { from, to } = target as { from?: number; to?: number };
  return interval(0, from, to, margin);
}

const interval = (index: number, from = -Infinity, to = Infinity, margin = 0): Goal => ({
  kind: 'interval',
  index,
  from: from + margin,
  to: to - margin,
});
