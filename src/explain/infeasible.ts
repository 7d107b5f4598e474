/**
 * Why there is no answer: a minimal set of policy entries that block, and the cheapest single relaxation.
 *
 * Blocking set (QuickXplain): halves of the entries are dropped at once; a half without which there is still no answer is
 * not needed, so k culprits among n entries take about k log n questions "is there any answer?". What remains is
 * irreducible. Relaxation: an entry that helps when it alone is dropped belongs to every blocking set, so only those
 * of the minimal set are tried; the one whose answer costs least is named.
 * Both run the whole pipeline on a smaller policy, so they hold for every model family and solver.
 */
import type { PolicyDocument } from '../documents/policy-document.js';
import type { Reason } from '../documents/result-document.js';
import type { Search, Searcher } from './search.js';

type Entry = readonly [path: string, without: (policy: PolicyDocument) => PolicyDocument];

/** Plans of relaxed policies, by the entries left out; many rows fail for the same reason. */
const relaxedPlans = new WeakMap<Searcher, Map<string, Searcher>>();
const MAX_RELAXED_PLANS = 500;

export function explainInfeasible(plan: Searcher, search: Search): Reason {
  const entries = entriesOf(plan.policy.document);
  const { blocking, minimal } = minimalSet(plan, entries, search);
  const best = cheapestRelaxation(plan, blocking, search);
  const names = blocking.map(([path]) => path);
  return {
    code: 'infeasible',
    message: message(names, best?.entry[0]),
    blocking: names,
    minimal,
    relaxation: best ? { entry: best.entry[0], cost: best.cost, changes: best.changes } : null,
  };
}

function message(blocking: readonly string[], relaxation: string | undefined): string {
  if (!blocking.length) return 'no input that the model accepts as a row has the target, whatever the policy';
  const way = relaxation ? `; without ${relaxation} there would be an answer` : '; no single entry is to blame';
  return `no change that the policy allows leads to the target: ${blocking.join(', ')}${way}`;
}

/** Every entry of a policy that can stand in the way, with how to leave it out. */
function entriesOf(policy: PolicyDocument): Entry[] {
  const ofFeatures = Object.entries(policy.features).flatMap(([name, rule]) =>
    Object.keys(rule).map((key): Entry => [`features.${name}.${key}`, (p) => withoutRule(p, name, key)]),
  );
  const ofConstraints = policy.constraints.map(
    (text, i): Entry => [
      `constraints[${i}]`,
      (p) => ({ ...p, constraints: p.constraints.filter((other) => other !== text) }),
    ],
  );
  const ofChanges: Entry[] = policy.maxChanges === undefined ? [] : [['maxChanges', ({ maxChanges: _, ...p }) => p]];
  const ofMargin: Entry[] = policy.margin === 0 ? [] : [['margin', (p) => ({ ...p, margin: 0 })]];
  const ofPlausibility: Entry[] = policy.plausibility ? [['plausibility', ({ plausibility: _, ...p }) => p]] : [];
  return [...ofFeatures, ...ofConstraints, ...ofChanges, ...ofMargin, ...ofPlausibility];
}

function withoutRule(policy: PolicyDocument, name: string, key: string): PolicyDocument {
  const { [key as 'min']: _, ...rest } = policy.features[name];
  return { ...policy, features: { ...policy.features, [name]: rest } };
}

type Verdict = 'none' | 'some' | 'unknown';

function minimalSet(
  plan: Searcher,
  entries: readonly Entry[],
  search: Search,
): { blocking: Entry[]; minimal: boolean } {
  let sure = true;
  const blocked = (kept: readonly Entry[]) => {
    const verdict = answersUnder(plan, kept, entries, search);
    if (verdict === 'unknown') sure = false;
    return verdict === 'none';
  };
  const quickXplain = (kept: readonly Entry[], grown: boolean, candidates: readonly Entry[]): Entry[] => {
    if (grown && blocked(kept)) return [];
    if (candidates.length <= 1) return [...candidates];
    const [left, right] = halves(candidates);
    const ofRight = quickXplain([...kept, ...left], true, right);
    const ofLeft = quickXplain([...kept, ...ofRight], ofRight.length > 0, left);
    return [...ofLeft, ...ofRight];
  };
  const blocking = blocked([]) ? [] : quickXplain([], false, entries);
  return { blocking: entries.filter((entry) => blocking.includes(entry)), minimal: sure };
}

function halves<T>(list: readonly T[]): [T[], T[]] {
  const middle = list.length >> 1;
  return [list.slice(0, middle), list.slice(middle)];
}

/** Whether there is any answer when only some entries are kept. */
function answersUnder(plan: Searcher, kept: readonly Entry[], entries: readonly Entry[], search: Search): Verdict {
  if (search.budget.isSpent) return 'unknown';
  const dropped = entries.filter((entry) => !kept.includes(entry));
  const found = relaxedPlan(plan, dropped).searchFor(plan.person.factual, search.target.shown, search.budget, true);
  if (found.answer) return 'some';
  return found.finished ? 'none' : 'unknown';
}

function cheapestRelaxation(plan: Searcher, blocking: readonly Entry[], search: Search) {
  let best: { entry: Entry; cost: number; changes: NonNullable<Reason['relaxation']>['changes'] } | undefined;
  for (const entry of blocking) {
    if (search.budget.isSpent) break;
    const { answer } = relaxedPlan(plan, [entry]).searchFor(
      plan.person.factual,
      search.target.shown,
      search.budget,
      false,
    );
    if (answer && answer.cost < (best?.cost ?? Infinity))
      best = { entry, cost: answer.cost, changes: plan.changes(answer.values) };
  }
  return best;
}

function relaxedPlan(plan: Searcher, entries: readonly Entry[]): Searcher {
  const known = relaxedPlans.get(plan) ?? new Map<string, Searcher>();
  relaxedPlans.set(plan, known);
  const key = entries.map(([path]) => path).join(' ');
  let relaxed = known.get(key);
  if (!relaxed) {
    const document = entries.reduce((policy, [, without]) => without(policy), plan.policy.document);
    relaxed = plan.under({ ...document, count: 1 });
    if (known.size < MAX_RELAXED_PLANS) known.set(key, relaxed);
  }
  return relaxed;
}
