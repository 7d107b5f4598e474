/**
 * Rules that are followed one after the other, grown into a tree of questions about single columns.
 *
 *   next(state, known)    the rules at a state, for all rows of some rooms: the next state, a leaf, or the atom that they depend on
 *
 * An atom becomes a question, and the same rules are followed in the rooms on both sides. A missing value goes to the side whose next state
 * is its own. Where neither is, the first question is whether there is a value.
 */
import { ElsewiseError } from '../../../documents/error.js';
import type { NodeBudget } from '../../tree-growth.js';
import type { AtomTruth, PredicateAtom } from './predicates.js';
import {
  isPresent,
  onlyMissing,
  onlyPresent,
  questionOf,
  type Room,
  type RoomQuestion,
  type Rooms,
  roomOf,
  sidesOf,
  truthIn,
  withRoom,
} from './rooms.js';

export type RuleMove<S> =
  | { readonly kind: 'state'; readonly state: S }
  | { readonly kind: 'leaf'; readonly value: readonly number[] }
  /** The rules have no result. `refusal`: the fault, if a row without missing values comes here. */
  | { readonly kind: 'nothing'; readonly refusal: () => ElsewiseError }
  | { readonly kind: 'ask'; readonly atom: PredicateAtom };

export interface Rules<S> {
  readonly first: S;
  next(state: S, truthOf: AtomTruth): RuleMove<S>;
  /** Equal texts are the same state. */
  keyOf(state: S): string;
}

export type GrownTree =
  | { readonly kind: 'leaf'; readonly value: readonly number[] }
  | {
      readonly kind: 'split';
      readonly atom: PredicateAtom;
      readonly question: RoomQuestion;
      /** The categories on the right side. */
      readonly rest: readonly number[];
      readonly missing: 'left' | 'right';
      readonly left: GrownTree;
      readonly right: GrownTree;
    };

/** More levels than a model document may have. */
const MOST_LEVELS = 1000;

/** Thrown where only rows with a missing value have no result: the model then takes no missing values. */
export class NothingForMissing extends Error {}

export function growTree<S>(rules: Rules<S>, takesMissing: boolean, budget: NodeBudget, path: string): GrownTree {
  return new Growth(rules, takesMissing, budget, path).grow(rules.first, new Map(), 0);
}

class Growth<S> {
  constructor(
    private readonly rules: Rules<S>,
    private readonly takesMissing: boolean,
    private readonly budget: NodeBudget,
    private readonly path: string,
  ) {}

  grow(state: S, rooms: Rooms, level: number): GrownTree {
    const move = this.follow(state, rooms);
    if (move.kind === 'leaf') {
      this.budget.spend(1);
      return move;
    }
    if (move.kind === 'nothing') throw this.withoutResult(move.refusal, rooms);
    if (level >= MOST_LEVELS)
      throw new ElsewiseError('bad-document', `the rules have more than ${MOST_LEVELS} levels of questions`, this.path);
    return this.ask(move.atom, move.state, rooms, level);
  }

  /** Follows the rules as far as they are the same for all rows of the rooms. */
  private follow(
    state: S,
    rooms: Rooms,
  ): Exclude<RuleMove<S>, { kind: 'state' | 'ask' }> | (RuleMove<S> & { kind: 'ask' } & { state: S }) {
    const truthOf = this.truthIn(rooms);
    for (let at = state; ; ) {
      const move = this.rules.next(at, truthOf);
      if (move.kind === 'ask') return { ...move, state: at };
      if (move.kind !== 'state') return move;
      at = move.state;
    }
  }

  private truthIn(rooms: Rooms): AtomTruth {
    const truthOf = truthIn(rooms);
    if (this.takesMissing) return truthOf;
    return (atom) => truthIn(withRoom(rooms, atom, this.room(rooms, atom)))(atom);
  }

  private room(rooms: Rooms, atom: PredicateAtom): Room {
    const room = roomOf(rooms, atom);
    return this.takesMissing ? room : onlyPresent(room);
  }

  private ask(atom: PredicateAtom, state: S, rooms: Rooms, level: number): GrownTree {
    const room = this.room(rooms, atom);
    const divided = questionOf(atom, room);
    const sides = divided && sidesOf(divided, room);
    const missing = sides && room.isMissing ? this.sideOfMissing(atom, state, rooms, room, sides) : 'right';
    if (!divided || !sides || !missing)
      return this.split(atom, { kind: 'presence' }, 'right', state, rooms, room, level);
    return this.split(atom, divided, missing, state, rooms, room, level);
  }

  private split(
    atom: PredicateAtom,
    question: RoomQuestion,
    missing: 'left' | 'right',
    state: S,
    rooms: Rooms,
    room: Room,
    level: number,
  ): GrownTree {
    this.budget.spend(1);
    const [left, right] = sidesOf(question, room);
    const isOfMissing = room.isMissing && question.kind !== 'presence';
    const grow = (side: Room, isOwn: boolean) =>
      this.grow(state, withRoom(rooms, atom, isOwn ? { ...side, isMissing: true } : side), level + 1);
    return {
      kind: 'split',
      atom,
      question,
      rest: right.codes ?? [],
      missing,
      left: grow(left, isOfMissing && missing === 'left'),
      right: grow(right, isOfMissing && missing === 'right'),
    };
  }

  /** Null: a missing value is followed by another state than both sides. */
  private sideOfMissing(
    atom: PredicateAtom,
    state: S,
    rooms: Rooms,
    room: Room,
    [left, right]: readonly [Room, Room],
  ): 'left' | 'right' | null {
    const keyIn = (own: Room) => this.keyOf(this.rules.next(state, this.truthIn(withRoom(rooms, atom, own))));
    const own = keyIn(onlyMissing(room));
    if (own === null) return null;
    return own === keyIn(left) ? 'left' : own === keyIn(right) ? 'right' : null;
  }

  private keyOf(move: RuleMove<S>): string | null {
    if (move.kind === 'state') return `state ${this.rules.keyOf(move.state)}`;
    return move.kind === 'leaf' ? `leaf ${move.value.join(' ')}` : null;
  }

  private withoutResult(refusal: () => ElsewiseError, rooms: Rooms): Error {
    const isOfMissing = [...rooms.values()].some((room) => !isPresent(room));
    return isOfMissing && this.takesMissing ? new NothingForMissing() : refusal();
  }
}
