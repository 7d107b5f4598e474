/**
 * How much work proofs over boxes may be. `sure` looks are free of the clock, so that the same row gives the same bytes; more
 * are taken only until the deadline; and none beyond `most`.
 */
export interface BoxEffort {
  /** Takes one look; false: there is none left. */
  take(): boolean;
}

export function boxEffort(sure: number, most: number, late: () => boolean): BoxEffort {
  let used = 0;
  return {
    take() {
      used++;
      return used <= sure || (used <= most && !late());
    },
  };
}

/** At most so many looks of a larger effort: one hard question must not eat up all the others'. */
export function shareOf(effort: BoxEffort, looks: number): BoxEffort {
  let left = looks;
  return { take: () => left-- > 0 && effort.take() };
}
