/**
 * The reason for infeasibility: a minimal set of policy entries that block, and the cheapest single relaxation.
 *
 *   blocking     B ⊆ E, an irreducible set of entries under which there is no answer (blocking-set.ts)
 *   relaxation   the e in E for which the cheapest answer under E \ {e} costs least, with that answer
 *
 * Where all entries only forbid, an entry whose removal alone helps belongs to every set that blocks: only the entries of B are tried.
 * Where an entry also allows values (policy/entries.ts), B does not exclude the others, and all entries are tried. Both searches run the
 * whole pipeline on a smaller policy and hold for every model family and solver. Work is counted against the row's budget, each question
 * with its own share. A question that the budget left open is "undetermined". The relaxation carries the proof of its cost among all single
 * entries.
 */
import { ElsewiseError } from '../documents/error.js';
import { nameSome } from '../documents/nearest-name.js';
import type { Reason } from '../documents/result-document.js';
import { entriesOf, exchangingEntries, withOnly } from '../policy/entries.js';
import { type BlockingSet, blockingSet } from './blocking-set.js';
import { proofOf } from './result.js';
import type { Search, Searcher, SearchOutcome } from './search.js';

type Relaxation = Exclude<Reason['relaxation'], undefined>;

interface Trial {
  readonly entry: string;
  /** The cheapest answer without the entry. */
  readonly found: SearchOutcome;
}

/** The share of the remaining budget for the blocking set, and the share of that for a single question. */
const BLOCKING_SHARE = 0.5;
const QUESTION_SHARE = 0.25;
/** Measured units of effort to build a plan: a fixed part, a part for each column and constraint, a part for each node of a forest. */
const PLAN_WORK = { base: 100, column: 10, node: 0.2 };

export function explainInfeasible(plan: Searcher, search: Search): Reason {
  const { document } = plan.policy;
  const all = entriesOf(document);
  const exchanging = exchangingEntries(document, plan.model.space, plan.person.factual);
  const { entries, open } = findBlocking(plan, search, all, exchanging);
  const blocking = all.filter((entry) => entries.has(entry));
  const trials = dropEach(plan, search, all, exchanging.length ? all : blocking);
  const relaxation = cheapest(plan, trials);
  const minimal = isMinimal(open, trials, exchanging) ? true : 'undetermined';
  return {
    code: 'infeasible',
    message: reasonInWords(blocking, minimal, relaxation, missingOf(plan)),
    blocking,
    minimal,
    relaxation,
  };
}

function findBlocking(
  plan: Searcher,
  search: Search,
  all: readonly string[],
  exchanging: readonly string[],
): BlockingSet {
  const budget = search.budget.shareEffort(BLOCKING_SHARE);
  return blockingSet(all, exchanging.length === 0, {
    get isSpent() {
      return budget.isSpent;
    },
    answersUnder(kept) {
      const question = { ...search, budget: budget.shareEffort(QUESTION_SHARE), anyAnswer: true };
      const { answer, finished } = searchUnder(plan, kept, question);
      if (answer) return 'some';
      return finished ? 'none' : 'unknown';
    },
  });
}

/** The cheapest answers without each of the candidates alone. */
function dropEach(plan: Searcher, search: Search, all: readonly string[], candidates: readonly string[]): Trial[] {
  return candidates.map((entry, k) => {
    if (search.budget.isSpent) return { entry, found: NOTHING_KNOWN };
    const budget = search.budget.shareEffort(1 / (candidates.length - k));
    const kept = all.filter((other) => other !== entry);
    return { entry, found: searchUnder(plan, kept, { ...search, budget, anyAnswer: false }) };
  });
}

/** An entry whose removal alone gives an answer is in every blocking set, if entries only forbid. */
function isMinimal(open: ReadonlySet<string>, trials: readonly Trial[], exchanging: readonly string[]): boolean {
  const helpful = new Set(trials.filter(({ found }) => found.answer).map(({ entry }) => entry));
  return [...open].every((entry) => exchanging.length === 0 && helpful.has(entry));
}

function cheapest(plan: Searcher, trials: readonly Trial[]): Relaxation {
  const lowerBound = trials.reduce((least, { found }) => Math.min(least, found.lowerBound), Infinity);
  const [best] = trials.filter(({ found }) => found.answer).sort((a, b) => costOf(a) - costOf(b));
  if (!best) return trials.every(({ found }) => found.finished) ? null : 'undetermined';
  const { values, cost } = best.found.answer!;
  return { entry: best.entry, cost, changes: plan.changes(values), proof: proofOf(cost, lowerBound) };
}

const costOf = ({ found }: Trial): number => found.answer!.cost;

const NOTHING_KNOWN: SearchOutcome = {
  answer: null,
  solver: '',
  lowerBound: Number.NEGATIVE_INFINITY,
  finished: false,
};

/** Searches an answer for the person with only some entries kept. */
function searchUnder(plan: Searcher, kept: readonly string[], { target, budget, anyAnswer }: Search): SearchOutcome {
  if (budget.isSpent) return NOTHING_KNOWN;
  budget.spend(planWork(plan));
  try {
    return relaxedPlan(plan, kept).searchFor(plan.person.factual, target.shown, budget, anyAnswer);
  } catch (error) {
    // A reduced policy can be invalid: a feature that may now change has no cost if its quantiles are unknown.
    if (error instanceof ElsewiseError) return NOTHING_KNOWN;
    throw error;
  }
}

/** The work to build a plan, counted even for a cached plan: no answer may depend on the rows before. */
function planWork({ model, policy }: Searcher): number {
  const { columns } = model.space;
  const nodes = model.model.forest?.feature.length ?? 0;
  return PLAN_WORK.base + PLAN_WORK.column * (columns + policy.document.constraints.length) + PLAN_WORK.node * nodes;
}

/** Many rows fail for the same reason. The searchers of relaxed policies are therefore cached by the entries that they keep. */
export function relaxedPlan(plan: Searcher, kept: readonly string[]): Searcher {
  // Each question brings its own target.
  const build = () => plan.under({ ...withOnly(plan.policy.document, new Set(kept)), target: undefined, count: 1 });
  return plan.parts.take(`only ${JSON.stringify(kept)}`, build, (relaxed) => relaxed.ownBytes);
}

/** The names of features whose value is missing and stays missing. */
const missingOf = ({ person, model }: Searcher): string[] =>
  model.space.features.filter(({ column }) => Number.isNaN(person.domain.lower[column])).map(({ name }) => name);

export function reasonInWords(
  blocking: readonly string[],
  minimal: Reason['minimal'],
  relaxation: Relaxation,
  missing: readonly string[],
): string {
  if (!blocking.length) return nowhere(missing);
  const names = nameSome(blocking);
  const needed = minimal === true ? '' : '; it is undetermined whether all of these are needed to block';
  return `no change that the policy allows leads to the target: ${names}${needed}; ${wayOut(relaxation)}`;
}

/** A proof about rows without blame on the policy. Missing values are no part of the search. */
function nowhere(missing: readonly string[]): string {
  const within = "no row within the model's own types, bounds, decimals and categories";
  if (!missing.length) return `${within} has the target, whatever the policy`;
  const names = nameSome(missing);
  return `${within} has the target while ${names} ${missing.length === 1 ? 'is' : 'are'} missing, and a missing value stays missing`;
}

function wayOut(relaxation: Relaxation): string {
  if (relaxation === null) return 'leaving out a single entry does not help';
  if (relaxation === 'undetermined') return 'it is undetermined whether leaving out a single entry helps';
  const isCheapest = relaxation.proof.kind === 'optimal' ? ', the cheapest entry to leave out,' : '';
  return `without ${relaxation.entry}${isCheapest} there would be an answer`;
}
