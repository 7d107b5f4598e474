/**
 * A smallest possible set of entries that blocks on its own (QuickXplain, Junker 2004).
 *
 *   given  F(E) = none     find  B ⊆ E  with  F(B) = none  and  F(B \ {b}) = some  for every b in B
 *
 * F(K) states whether an answer exists when only the entries K are kept. `some` and `none` are proved, `unknown` is not. Halves of E are
 * dropped at once. A half is not needed if its removal still leaves no answer: k culprits among n entries take about k log n questions.
 *
 * Only `none` removes entries: B blocks by proof. An entry counts as needed when F was `some` for a set that contains B without that entry.
 * This is a proof where fewer entries leave more answers (`isMonotone`). For every entry without this proof, B without that entry is asked
 * once more. An entry that stays open leaves B undetermined.
 */
export type Existence = 'none' | 'some' | 'unknown';

export interface BlockingSet {
  readonly entries: ReadonlySet<string>;
  /** The entries without a proof that the other entries do not block alone. */
  readonly open: ReadonlySet<string>;
}

/** Answers the questions F(K). */
export interface Oracle {
  answersUnder(kept: readonly string[]): Existence;
  /** No further question will be answered. */
  readonly isSpent: boolean;
}

export function blockingSet(all: readonly string[], isMonotone: boolean, oracle: Oracle): BlockingSet {
  const open = new Set<string>();
  const reduce = (kept: readonly string[], verdict: Existence, candidates: readonly string[]): readonly string[] => {
    if (verdict === 'none' || !candidates.length) return [];
    if (candidates.length === 1 || oracle.isSpent) {
      if (verdict === 'unknown' || !isMonotone || oracle.isSpent) for (const entry of candidates) open.add(entry);
      return candidates;
    }
    const [left, right] = halves(candidates);
    const withLeft = [...kept, ...left];
    const ofRight = reduce(withLeft, oracle.answersUnder(withLeft), right);
    const withRight = [...kept, ...ofRight];
    const ofLeft = reduce(withRight, ofRight.length ? oracle.answersUnder(withRight) : verdict, left);
    return [...ofLeft, ...ofRight];
  };
  const entries = all.length ? reduce([], oracle.answersUnder([]), all) : [];
  return closeOpen({ entries: new Set(entries), open }, isMonotone, oracle);
}

/** Asks for each open entry whether the others block without it. */
function closeOpen({ entries, open }: BlockingSet, isMonotone: boolean, oracle: Oracle): BlockingSet {
  const stillOpen = new Set(open);
  for (const entry of open) {
    if (oracle.isSpent) break;
    const rest = without(entries, entry);
    const verdict = oracle.answersUnder(rest);
    if (verdict === 'some') stillOpen.delete(entry);
    if (verdict !== 'none') continue;
    const openOfRest = isMonotone ? without(stillOpen, entry) : rest;
    return closeOpen({ entries: new Set(rest), open: new Set(openOfRest) }, isMonotone, oracle);
  }
  return { entries, open: stillOpen };
}

const without = (entries: ReadonlySet<string>, entry: string): string[] =>
  [...entries].filter((other) => other !== entry);

function halves<T>(list: readonly T[]): [T[], T[]] {
  const middle = list.length >> 1;
  return [list.slice(0, middle), list.slice(middle)];
}
