/**
 * Why there is no answer: a minimal set of policy entries that block, and the cheapest single relaxation.
 *
 * Blocking set: entries are dropped one after the other; one whose absence leaves the problem infeasible is not needed.
 * What remains is irreducible: without any one of its entries (and all that were dropped) there is an answer.
 * Relaxation: of the entries whose absence alone gives an answer, the one whose answer costs least.
 * Both run the whole pipeline on a smaller policy, so they hold for every model family and solver.
 */
import type { PolicyDocument } from '../documents/policy-document.js';
import type { Reason } from '../documents/result-document.js';
import type { Found, Search, Searcher } from './search.js';

type Entry = readonly [path: string, without: (policy: PolicyDocument) => PolicyDocument];

/** Plans of relaxed policies, by the entries left out; many rows fail for the same reason. */
const relaxedPlans = new WeakMap<Searcher, Map<string, Searcher>>();
const MAX_RELAXED_PLANS = 500;

export function explainInfeasible(plan: Searcher, search: Search): Reason {
  const entries = entriesOf(plan.policy.document);
  const relaxations = entries.map((entry) => ({ entry, found: solveWithout(plan, [entry], search) }));
  const { blocking, minimal } = minimalSet(plan, entries, relaxations, search);
  const useful = relaxations.filter(({ found }) => found?.answer).sort((a, b) => a.found!.answer!.cost - b.found!.answer!.cost);
  const best = useful[0];
  const names = blocking.map(([path]) => path);
  return {
    code: 'infeasible',
    message: message(names, best?.entry[0]),
    blocking: names,
    minimal,
    relaxation: best ? { entry: best.entry[0], cost: best.found!.answer!.cost, changes: plan.changes(best.found!.answer!.values) } : null,
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
  const ofConstraints = policy.constraints.map((text, i): Entry => [`constraints[${i}]`, (p) => ({ ...p, constraints: p.constraints.filter((other) => other !== text) })]);
  const ofChanges: Entry[] = policy.maxChanges === undefined ? [] : [['maxChanges', ({ maxChanges: _, ...p }) => p]];
  const ofMargin: Entry[] = policy.margin === 0 ? [] : [['margin', (p) => ({ ...p, margin: 0 })]];
  return [...ofFeatures, ...ofConstraints, ...ofChanges, ...ofMargin];
}

function withoutRule(policy: PolicyDocument, name: string, key: string): PolicyDocument {
  const { [key as 'min']: _, ...rest } = policy.features[name];
  return { ...policy, features: { ...policy.features, [name]: rest } };
}

interface Relaxation {
  readonly entry: Entry;
  readonly found: Found | undefined;
}

function minimalSet(plan: Searcher, entries: readonly Entry[], relaxations: readonly Relaxation[], search: Search): { blocking: Entry[]; minimal: boolean } {
  // An entry whose absence alone helps belongs to every blocking set.
  const needed = new Set(relaxations.filter(({ found }) => found?.answer).map(({ entry }) => entry));
  const dropped: Entry[] = [];
  let minimal = true;
  for (const entry of entries) {
    if (needed.has(entry)) continue;
    const found = solveWithout(plan, [...dropped, entry], search);
    if (!found) minimal = false;
    else if (!found.answer && found.finished) dropped.push(entry);
    else if (!found.answer) minimal = false;
  }
  return { blocking: entries.filter((entry) => !dropped.includes(entry)), minimal };
}

/** The best answer under the policy without some entries; undefined when the time is up. */
function solveWithout(plan: Searcher, entries: readonly Entry[], search: Search): Found | undefined {
  if (plan.now() > search.deadline) return undefined;
  const relaxed = relaxedPlan(plan, entries);
  return relaxed.searchFor(plan.person.factual, search.target.shown, search.deadline);
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
