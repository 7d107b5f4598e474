/**
 * Checks the chain of the audit in Redis. A change of a record, a head, an order, a number or a count is found: each entry names the digest of the
 * entry before and the digest of its own records. Days and head of the chain are read at one moment: entries that are added meanwhile are no
 * fault, and entries that the days do not count are. The end of the chain is compared with a digest that was noted elsewhere: a chain that
 * was written anew as a whole is consistent in itself.
 */
import type { AuditStore } from './audit-store.js';
import type { ChainState } from './chain-days.js';
import { missing, missingFault, stateFault } from './chain-faults.js';
import { ChainLinks, type ChainVerdict } from './chain-links.js';
import { uncountedFault } from './uncounted-days.js';
import { type ChainStep, DayReader } from './verify-day.js';

/** The days from `from` to `to`, as `2026-01-31`. Omitted: no bound. */
export interface ChainSpan {
  readonly from?: string;
  readonly to?: string;
}

/** `noted`: a digest of an entry that was noted elsewhere. */
export async function verifyStored(audit: AuditStore, noted?: string): Promise<ChainVerdict> {
  const steps = verifySteps(audit, {}, noted);
  for (;;) {
    const { done, value } = await steps.next();
    if (done) return value;
  }
}

/** Yields after each entry. The links to the days before and after a span are checked as well. */
export async function* verifySteps(
  audit: AuditStore,
  span: ChainSpan,
  noted?: string,
): AsyncGenerator<ChainStep, ChainVerdict> {
  for (let time = 1; ; time++) {
    const state = await audit.state();
    const verdict = yield* verifyOnce(audit, state, span, noted);
    // Retention may have dropped a day meanwhile.
    if (verdict.fault === undefined || time === MOST_TIMES || isSame(state, await audit.state())) return verdict;
  }
}

const MOST_TIMES = 3;
const LAST_DAY = '9999-12-31';

const isSame = (one: ChainState, other: ChainState): boolean => textOf(one) === textOf(other);

/** Times to live go down all the time. */
const textOf = (state: ChainState): string =>
  JSON.stringify(state, (key, value: unknown) => (key === 'ttlMs' ? undefined : value));

async function* verifyOnce(
  audit: AuditStore,
  state: ChainState,
  { from = '', to = LAST_DAY }: ChainSpan,
  noted: string | undefined,
): AsyncGenerator<ChainStep, ChainVerdict> {
  const links = new ChainLinks(noted);
  const reader = new DayReader(audit, links);
  let dropped = 0;
  let number = 0;
  const fault = stateFault(state) ?? (await uncountedFault(audit, state.days));
  if (fault) return links.verdict(dropped, fault);
  for (const [k, anchor] of state.days.entries()) {
    const { day, previous, isStored, entries } = anchor;
    if (day > to) break;
    if (day >= from) {
      links.skipTo({ number, digest: previous });
      const dayFault = isStored ? yield* reader.read(anchor) : missingFault(anchor, state.days[k - 1]);
      if (dayFault) return links.verdict(dropped, dayFault);
      if (!isStored) links.skipTo({ number: number + entries, digest: anchor.digest });
      if (!isStored) dropped++;
    }
    number += entries;
  }
  const verdict = links.verdict(dropped);
  links.endSpan();
  const unnamed = yield* unnamedFault(audit, state, to, reader, links);
  return unnamed ? { ...verdict, fault: unnamed } : verdict;
}

/**
 * Records of the span may have been redacted later, also during the check. The check goes on behind the span until entries name all of these
 * records.
 */
async function* unnamedFault(
  audit: AuditStore,
  state: ChainState,
  to: string,
  reader: DayReader,
  links: ChainLinks,
): AsyncGenerator<ChainStep, string | undefined> {
  let days = state.days.filter(({ day }) => day > to);
  for (let end = state.head.digest; ; ) {
    for (const anchor of days) {
      if (!links.unnamedFault('')) return undefined;
      const fault = anchor.isStored ? yield* reader.read(anchor) : missing(anchor.day);
      if (fault) return fault;
    }
    const unnamed = links.unnamedFault('of the chain');
    const { head, days: present } = await audit.state();
    if (!unnamed || head.digest === end) return unnamed;
    end = head.digest;
    days = present.filter(({ day }) => day >= reader.day);
  }
}
