/**
 * Replays or drops many dead letters in the background, a page at a time. The place behind the last page is on record: an operation whose
 * process dies is continued by the next process that looks for work. A letter that dies again is younger than the operation and is not
 * treated twice.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { config } from '../../config.js';
import { ElsewiseError } from '../../documents/error.js';
import type { LetterEntry } from '../../store/events/dead-store.js';
import { type LetterKind, letterAt } from '../../store/events/letter-groups.js';
import type { NewAction } from '../../store/operator/action-log.js';
import type { Operation } from '../../store/operator/operation-store.js';
import type { Store } from '../../store/store.js';
import { isNotReplayable, LetterReplayer } from '../failures/dead-letters.js';
import type { LetterRequest } from './action-request.js';

/** How often a process looks for operations whose process died. */
const LOOK_EVERY_MS = 5_000;

/** The lease of the operation that begins. The lease of a process that dies expires. */
const BEGINNING = 'beginning';
const BEGIN_AGAIN_MS = 10;

/** Names in a request may have any length. */
const MOST_CHARACTERS = 100;

/** The group, and its code, model and policy: the group itself goes with its last letter. */
function inWords(group: string, kind: LetterKind | undefined): string {
  if (!kind) return group;
  const named = [kind.code, kind.model ?? 'any model', kind.policy ?? 'any policy'];
  return `${group} (${named.map((name) => name.slice(0, MOST_CHARACTERS)).join(', ')})`;
}

export class LetterOperations {
  readonly #store: Store;
  readonly #isUp: () => boolean;
  readonly #holder = randomUUID();
  readonly #running = new Map<string, Promise<void>>();
  #look: NodeJS.Timeout | undefined;
  #isClosing = false;

  /** `isUp`: whether Redis answers at present. */
  constructor(store: Store, isUp: () => boolean) {
    this.#store = store;
    this.#isUp = isUp;
  }

  /** Continues operations that other processes left. */
  watch(): void {
    this.#look = setInterval(() => void (this.#isUp() && this.#continueLeft().catch(() => {})), LOOK_EVERY_MS);
    this.#look.unref();
  }

  /** Resolves after the present page. Another process, or the next one, continues. */
  async close(): Promise<void> {
    this.#isClosing = true;
    clearInterval(this.#look);
    await Promise.all(this.#running.values());
  }

  /** Checks the confirmed count and begins. */
  async begin(request: LetterRequest, by: Pick<NewAction, 'by' | 'via'>): Promise<Operation> {
    const { operations } = this.#store;
    const operation = await this.#oneAtATime(() => this.#record(request, by));
    if (this.#isClosing) await operations.release(operation.id);
    else this.#launch(operation.id);
    return operation;
  }

  async #record(request: LetterRequest, by: Pick<NewAction, 'by' | 'via'>): Promise<Operation> {
    const { action: kind, group, until, ids, reason } = request;
    const total = await this.#count(request);
    const { actions, operations, dead } = this.#store;
    const target = group === undefined ? `letters: ${total}` : inWords(group, await dead.groups.kind(group));
    const entry = await actions.begin({ action: kind, target, reason, ...by });
    const operation: Operation = {
      id: randomUUID(),
      ...{ kind, state: 'running', group, until, ids, total, done: 0, stayed: 0 },
      started: entry.at,
      entry,
    };
    await this.#refuseBeside(operation);
    await operations.take(operation.id, this.#holder);
    await operations.write(operation);
    return operation;
  }

  /** Of two operations that begin at the same time, one is on record before the other looks. */
  async #oneAtATime(begin: () => Promise<Operation>): Promise<Operation> {
    const { operations } = this.#store;
    while (!(await operations.take(BEGINNING, this.#holder))) await sleep(BEGIN_AGAIN_MS);
    try {
      return await begin();
    } finally {
      await operations.release(BEGINNING);
    }
  }

  /** Throws if another operation works on some of the letters: one letter cannot be both replayed and dropped. */
  async #refuseBeside(operation: Operation): Promise<void> {
    const { operations, actions } = this.#store;
    const others = (await operations.list()).filter(({ id, state }) => state === 'running' && id !== operation.id);
    const shared = await Promise.all(others.map((other) => this.#share(operation, other)));
    const other = others.find((_, i) => shared[i]);
    if (!other) return;
    const words = `operation "${other.id}" works on the same letters: wait for its end, or stop it`;
    await actions.end(operation.entry, 'failed', words);
    throw new ElsewiseError('conflict', words, 'body');
  }

  async #share(one: Operation, other: Operation): Promise<boolean> {
    if (one.group !== undefined && other.group !== undefined) return one.group === other.group;
    const [selection, second] = one.ids ? [one, other] : [other, one];
    if (second.group !== undefined) return this.#store.dead.groups.hasSome(second.group, selection.ids ?? []);
    const ids = new Set(second.ids);
    return (selection.ids ?? []).some((id) => ids.has(id));
  }

  /** Returns the effect in words. */
  async stop(id: string): Promise<string> {
    const operation = await this.#store.operations.find(id);
    if (!operation) throw new ElsewiseError('not-known', `no operation "${id}" is on record`);
    if (operation.state !== 'running') throw new ElsewiseError('conflict', `operation "${id}" has ended`);
    await this.#store.operations.askToStop(id);
    return `after ${operation.done} of ${operation.total} letters`;
  }

  async #count({ group, until, ids, count }: LetterRequest): Promise<number> {
    const isGroup = group !== undefined && until !== undefined && ids === undefined;
    if (!isGroup && (ids === undefined || group !== undefined || until !== undefined))
      throw new ElsewiseError('bad-request', 'give `group` with `until`, or `ids`', 'body');
    const { groups } = this.#store.dead;
    const found = isGroup ? await groups.count({ group, untilMs: Date.parse(until) }) : new Set(ids).size;
    if (found === 0) throw new ElsewiseError('not-known', 'no such dead letters are left', 'body');
    if (found <= count) return found;
    throw new ElsewiseError('conflict', `${found} letters match, and ${count} were confirmed`, 'body.count');
  }

  async #continueLeft(): Promise<void> {
    for (const { id, state } of await this.#store.operations.list()) if (state === 'running') await this.#drive(id);
  }

  /** Begins to work on an operation that no other process works on. */
  async #drive(id: string): Promise<void> {
    if (this.#isClosing || this.#running.has(id)) return;
    if (await this.#store.operations.take(id, this.#holder)) this.#launch(id);
  }

  #launch(id: string): void {
    const work = this.#work(id)
      .catch(() => {}) // the lease expires, and the next look continues
      .finally(() => this.#running.delete(id));
    this.#running.set(id, work);
  }

  async #work(id: string): Promise<void> {
    const { operations } = this.#store;
    const replayer = new LetterReplayer(this.#store);
    try {
      let operation = await operations.find(id);
      while (operation?.state === 'running' && !this.#isClosing && (await operations.renew(id, this.#holder))) {
        operation = await this.#step(operation, replayer);
        await operations.write(operation);
      }
      if (operation && operation.state !== 'running') await this.#conclude(operation);
      await operations.release(id);
    } finally {
      await replayer.close();
    }
  }

  /** One page. The record of the progress is written by the caller. */
  async #step(operation: Operation, replayer: LetterReplayer): Promise<Operation> {
    const { id, kind, place } = operation;
    const end = (state: 'done' | 'stopped') => ({ ...operation, state, ended: new Date().toISOString() });
    if (await this.#store.operations.isToStop(id)) return end('stopped');
    const page = await this.#page(operation);
    if (page.ids.length === 0) return end('done');
    const letters = await this.#store.dead.some(page.ids);
    const isDone = await Promise.all(letters.map((letter) => this.#treat(kind, letter, replayer)));
    const treated = isDone.filter(Boolean).length;
    const { done, stayed } = operation;
    return {
      ...operation,
      place: page.next ?? place,
      done: done + treated,
      stayed: stayed + page.ids.length - treated,
    };
  }

  async #page({ group, until, ids = [], place }: Operation): Promise<{ ids: string[]; next: string | undefined }> {
    const { lettersAtOnce } = config.deadLetters;
    if (group === undefined) {
      const from = Number(place ?? 0);
      return { ids: [...new Set(ids)].slice(from, from + lettersAtOnce), next: String(from + lettersAtOnce) };
    }
    const range = { group, after: place, untilMs: Date.parse(until!) };
    const places = await this.#store.dead.groups.places(range, lettersAtOnce);
    return { ids: places.map(letterAt), next: places.at(-1) };
  }

  /** False: the letter stays. */
  async #treat(kind: Operation['kind'], letter: LetterEntry, replayer: LetterReplayer): Promise<boolean> {
    if (kind === 'drop-letters') return this.#store.dead.drop(letter.id);
    try {
      await replayer.replay(letter);
      return true;
    } catch (error) {
      if (isNotReplayable(error)) return false;
      throw error;
    }
  }

  async #conclude({ entry, kind, state, total, done, stayed }: Operation): Promise<void> {
    const verb = kind === 'replay-letters' ? 'replayed' : 'dropped';
    const words = `${verb}: ${done} of ${total}${stayed ? `, left: ${stayed}` : ''}${state === 'stopped' ? ', stopped' : ''}`;
    await this.#store.actions.end(entry, 'done', words);
    await this.#store.operations.forgetOld();
  }
}
