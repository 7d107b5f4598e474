/**
 * The claims of a receipt beside its offers: the status, the proofs, the levers, and the order. The claims are compared with one another and
 * with the result of solving the row again. A search that time ended may claim less than the new result, and never more:
 *
 *   cost_k optimal, or lowerBound_k    no answer of the new result costs less, the answers before the k-th left out
 */
import type { ReceiptDocument } from '../documents/receipt-document.js';
import type { CounterfactualDocument, ResultDocument } from '../documents/result-document.js';

type Offer = ReceiptDocument['offers'][number];
type Status = ReceiptDocument['status'];

/** Costs and bounds are rounded. */
const ROUNDING = 1e-6;

/** The statuses that refute a status. */
const REFUTED_BY: Record<Status, readonly ResultDocument['status'][]> = {
  already: ['found', 'infeasible', 'not-found'],
  found: ['already', 'infeasible'],
  infeasible: ['already', 'found'],
  'not-found': ['already'],
};

/** `levers`: the names of the policy's levers. */
export function claimFaults(receipt: ReceiptDocument, solved: ResultDocument, levers: readonly string[]): string[] {
  return [...statusFaults(receipt, solved), ...offersFaults(receipt, levers), ...boundFaults(receipt, solved)];
}

/** Whether status, offers and proofs are those of the new result. */
export function repeats({ status, offers }: ReceiptDocument, solved: ResultDocument): boolean {
  const [ours, theirs] = [offers, solved.counterfactuals];
  return (
    status === solved.status && ours.length === theirs.length && ours.every((offer, k) => isSame(offer, theirs[k]))
  );
}

const isSame = (offer: Offer, answer: CounterfactualDocument): boolean =>
  keyOf(offer) === keyOf({ ...answer, changes: changesOf(answer) }) &&
  offer.cost === answer.cost &&
  (['kind', 'lowerBound', 'gap'] as const).every((key) => offer.proof[key] === answer.proof[key]);

const changesOf = ({ changes }: CounterfactualDocument): Offer['changes'] =>
  Object.fromEntries(changes.map(({ feature, to }) => [feature, to]));

/** Offers with the same key are the same offer. */
const keyOf = ({ changes, lever, target }: Pick<Offer, 'changes' | 'lever' | 'target'>): string =>
  JSON.stringify([
    lever ?? null,
    target ?? null,
    Object.entries(changes).sort(([one], [other]) => (one < other ? -1 : 1)),
  ]);

function statusFaults({ status, offers }: ReceiptDocument, solved: ResultDocument): string[] {
  if ((status === 'found') !== offers.length > 0)
    return [`the receipt says ${status}, and has ${offers.length} offers`];
  const isRefuted = REFUTED_BY[status].includes(solved.status);
  return isRefuted ? [`the receipt says ${status}, and solving the row again gives ${solved.status}`] : [];
}

function offersFaults({ offers }: ReceiptDocument, levers: readonly string[]): string[] {
  const seen = new Set<string>();
  return offers.flatMap((offer, k) => {
    const { lever, proof, cost } = offer;
    const name = `offer ${k + 1}`;
    const before = offers[k - 1];
    const isTwice = seen.has(keyOf(offer));
    seen.add(keyOf(offer));
    return [
      ...(isTwice ? [`${name} stands in the receipt twice`] : []),
      ...(lever !== undefined && !levers.includes(lever) ? [`${name}: the policy has no lever "${lever}"`] : []),
      ...(before && groupOf(before) === groupOf(offer) && before.cost > cost
        ? [`${name} costs less than the offer before`]
        : []),
      ...proofFaults(proof, cost).map((fault) => `${name}: ${fault}`),
    ];
  });
}

function proofFaults({ kind, lowerBound, gap }: Offer['proof'], cost: number): string[] {
  if (kind === 'heuristic') return lowerBound === null && gap === null ? [] : ['a heuristic proof has a bound'];
  if (lowerBound === null || gap === null) return [`the proof "${kind}" has no bound`];
  if (lowerBound > cost) return [`the lower bound ${lowerBound} is above the cost ${cost}`];
  if (kind === 'optimal' && gap !== 0) return [`the proof is optimal and has the gap ${gap}`];
  const own = cost > 0 ? (cost - lowerBound) / cost : 0;
  const isOwn = kind === 'optimal' ? own <= ROUNDING : Math.abs(own - gap) <= ROUNDING;
  return isOwn ? [] : [`the gap ${gap} is not that of the cost ${cost} and the lower bound ${lowerBound}`];
}

/** Answers of one lever and one target are comparable. The k-th is the cheapest that differs from the answers before. */
const groupOf = ({ lever, target }: Pick<Offer, 'lever' | 'target'>): string =>
  JSON.stringify([lever ?? null, target ?? null]);

function boundFaults({ offers }: ReceiptDocument, { counterfactuals }: ResultDocument): string[] {
  const answers = counterfactuals.map((answer) => ({ ...answer, changes: changesOf(answer) }));
  return offers.flatMap((offer, k) => {
    const group = (list: readonly Offer[]) => list.filter((one) => groupOf(one) === groupOf(offer));
    const before = group(offers.slice(0, k));
    const theirs = group(answers);
    const isComparable = before.every((one, i) => theirs[i] && keyOf(one) === keyOf(theirs[i]));
    const { lowerBound } = offer.proof;
    const next = theirs[before.length];
    if (!isComparable || !next || lowerBound === null || lowerBound <= next.cost * (1 + ROUNDING)) return [];
    return [
      `offer ${k + 1}: the receipt says that no answer costs less than ${lowerBound}, and one costs ${next.cost}`,
    ];
  });
}
