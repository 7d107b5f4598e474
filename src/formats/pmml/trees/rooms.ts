/**
 * What is known of a row after some questions: for each column an interval of numbers or a set of categories, and whether the value may
 * be missing. Rooms never change: a question makes new ones.
 */
import type { Cut } from '../fields/expression.js';
import type { AtomTruth, PredicateAtom, Truth } from './predicates.js';

export interface Room {
  /** Numbers x with from <= x < below. */
  readonly from: number;
  readonly below: number;
  /** Of a category: those that are left. Null: a number. */
  readonly codes: readonly number[] | null;
  readonly isMissing: boolean;
}

/** By index of the column. A column without a room may have any value. */
export type Rooms = ReadonlyMap<number, Room>;

export type RoomQuestion =
  | { readonly kind: 'cut'; readonly cut: Cut }
  | { readonly kind: 'set'; readonly codes: readonly number[] }
  /** Whether there is a value at all. */
  | { readonly kind: 'presence' };

export function roomOf(rooms: Rooms, { source }: PredicateAtom): Room {
  const known = rooms.get(source.index);
  if (known) return known;
  const codes = source.kind === 'category' ? source.values.map((_, code) => code) : null;
  return { from: Number.NEGATIVE_INFINITY, below: Number.POSITIVE_INFINITY, codes, isMissing: true };
}

export const withRoom = (rooms: Rooms, { source }: PredicateAtom, room: Room): Rooms =>
  new Map(rooms).set(source.index, room);

export const isPresent = ({ from, below, codes }: Room): boolean => (codes ? codes.length > 0 : from < below);
export const onlyMissing = (room: Room): Room => (room.codes ? { ...room, codes: [] } : { ...room, from: 0, below: 0 });
export const onlyPresent = (room: Room): Room => ({ ...room, isMissing: false });

export const truthIn =
  (rooms: Rooms): AtomTruth =>
  (atom) => {
    const room = roomOf(rooms, atom);
    const truths = new Set<Truth>(presentTruths(atom, room));
    if (room.isMissing) truths.add(atom.missing);
    const [first] = truths;
    return truths.size === 1 ? first : undefined;
  };

/** The truths of the present values of a room. */
function presentTruths({ cuts, truths }: PredicateAtom, { from, below, codes }: Room): readonly Truth[] {
  if (codes) return codes.map((code) => truths[code]);
  if (!(from < below)) return [];
  const first = countUpTo(cuts, from);
  const last = countBelow(cuts, below);
  return truths.slice(first, last + 1);
}

/** How many cuts start at or before x; how many start before x. Cuts ascend. */
const countUpTo = (cuts: readonly Cut[], x: number): number => {
  const next = cuts.findIndex(({ start }) => start > x);
  return next < 0 ? cuts.length : next;
};
const countBelow = (cuts: readonly Cut[], x: number): number => {
  const next = cuts.findIndex(({ start }) => start >= x);
  return next < 0 ? cuts.length : next;
};

/** The question that divides the present values of a room by an atom. Null: they agree about it. */
export function questionOf(atom: PredicateAtom, room: Room): RoomQuestion | null {
  if (room.codes) {
    const [first] = room.codes;
    const codes = room.codes.filter((code) => atom.truths[code] === atom.truths[first]);
    return codes.length < room.codes.length ? { kind: 'set', codes } : null;
  }
  const inside = atom.cuts.slice(countUpTo(atom.cuts, room.from), countBelow(atom.cuts, room.below));
  return inside.length && room.from < room.below ? { kind: 'cut', cut: inside[inside.length >> 1] } : null;
}

/** The present values on both sides of a question: yes stands left. */
export function sidesOf(question: RoomQuestion, room: Room): readonly [Room, Room] {
  const present = onlyPresent(room);
  if (question.kind === 'presence') return [present, { ...onlyMissing(room), isMissing: true }];
  if (question.kind === 'cut') {
    const { start } = question.cut;
    return [
      { ...present, below: start },
      { ...present, from: start },
    ];
  }
  const { codes } = question;
  return [
    { ...present, codes },
    { ...present, codes: room.codes!.filter((code) => !codes.includes(code)) },
  ];
}
