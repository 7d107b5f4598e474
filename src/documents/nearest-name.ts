/**
 * "did you mean": the candidate closest to a mistyped name.
 *
 * Distance: optimal string alignment (insert, delete, replace, swap two neighbours, each 1), case ignored.
 * A candidate counts when at most a third of the longer name would have to change, so short names get a suggestion
 * only for a difference in case. Ties go to the candidate listed first. Work is bounded: of very many or very long candidates the
 * first are compared.
 */
export function nearestName(name: string, candidates: Iterable<string>): string | undefined {
  let nearest: string | undefined;
  let shortest = Number.POSITIVE_INFINITY;
  let cells = 0;
  for (const candidate of candidates) {
    if (cells > MAX_CELLS) break;
    cells += 1 + name.length;
    const limit = Math.min(shortest - 1, Math.floor(Math.max(name.length, candidate.length) / 3));
    if (Math.abs(name.length - candidate.length) > limit) continue;
    cells += name.length * candidate.length;
    if (cells > MAX_CELLS) break;
    const distance = editDistance(name.toLowerCase(), candidate.toLowerCase());
    if (distance > limit) continue;
    nearest = candidate;
    shortest = distance;
  }
  return nearest;
}

/** The largest number of letter pairs that are compared for one suggestion. */
const MAX_CELLS = 1e7;

/** `, did you mean "x"?` or nothing: the end of a message about an unknown name. */
export function didYouMean(name: string, candidates: Iterable<string>): string {
  const nearest = nearestName(name, candidates);
  return nearest === undefined ? '' : `, did you mean "${nearest}"?`;
}

const LISTED = 8;

/** The first names of a list that may be long: `a, b, c, ...`. */
export function listNames(names: readonly string[]): string {
  return [...names.slice(0, LISTED), ...(names.length > LISTED ? ['...'] : [])].join(', ');
}

/** The same in a sentence: `a, b and 3 more`. */
export function nameSome(names: readonly string[]): string {
  const shown = names.slice(0, LISTED).join(', ');
  return names.length > LISTED ? `${shown} and ${names.length - LISTED} more` : shown;
}

/** Row by row over the prefixes of `a`. A swap uses the row before the last. */
function editDistance(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = last[j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1);
      const swappable = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const swapped = swappable ? beforeLast[j - 2] + 1 : replaced;
      row.push(Math.min(replaced, swapped, last[j] + 1, row[j - 1] + 1));
    }
    beforeLast = last;
    last = row;
  }
  return last[b.length];
}
