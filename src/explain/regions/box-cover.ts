/**
 * Whether a box lies in a union of pieces. A box that lies in one piece is proved. Otherwise the model decides about a point that seems to
 * fail. A box without a failing point is cut in two, until every part lies in a piece or the number of parts is too large.
 *
 *   box ⊆ P_1 ∪ ... ∪ P_n   <=>   some P_k holds the box,  or  both halves are in the union
 *
 * A refutation is always a point that is no answer: a point outside of one piece may be inside another.
 */
import type { Feature } from '../../models/features.js';
import { type BoxVerdict, isRefuted } from '../../policy/box-verdict.js';
import { cloneDomain, type Domain } from '../../policy/domain.js';
import { lastWithin, nextValue } from '../../policy/values.js';
import type { Box } from '../../proofs/box.js';
import { type BoxEffort, shareOf } from '../../proofs/box-effort.js';
import type { BoxProof } from '../../proofs/box-proof.js';

/** A piece of the target's region, with its proof. */
export interface ProvedPiece {
  readonly proof: BoxProof;
  /** Whether a point, by column, is in the piece or very near it. */
  contains(columns: Float64Array): boolean;
  /** The work of a look at the piece, in units of effort. */
  readonly work: number;
}

/** The largest number of parts of a box. */
const MOST_PARTS = 150;
/** Looks at a part of a box for one piece. The limit leaves looks to other questions. */
const LOOKS_PER_PIECE = 400;
/** Where a box is unbounded, its part ends this many times further out. */
const FURTHER = 16;

export interface Cover {
  readonly pieces: readonly ProvedPiece[];
  readonly effort: BoxEffort;
  /** The final decision about a point, by column. */
  isAnswer(columns: Float64Array): boolean;
}

/** The point `at` of a box must be in it. */
export function coverBox(whole: Box, cover: Cover): BoxVerdict {
  const open = [whole];
  for (let parts = 0; open.length; parts++) {
    const part = open.pop()!;
    const verdict = judgePart(part, cover);
    if (isRefuted(verdict)) return verdict;
    if (verdict === 'proved') continue;
    const halves = cover.pieces.length > 1 && parts < MOST_PARTS ? cutInTwo(part, whole.domain) : [];
    if (!halves.length) return 'unknown';
    open.push(...halves);
  }
  return 'proved';
}

/** `unknown`: the part has to be cut. */
function judgePart(part: Box, { pieces, effort, isAnswer }: Cover): BoxVerdict {
  if (!isAnswer(part.at)) return { point: part.at };
  if (!part.varies.includes(1)) return 'proved';
  for (const piece of pieces) {
    if (pieces.length > 1) {
      if (!effort.spend(piece.work)) return 'unknown';
      if (!piece.contains(part.at)) continue;
    }
    const verdict = piece.proof.prove(part, shareOf(effort, LOOKS_PER_PIECE));
    if (verdict === 'proved') return verdict;
    if (isRefuted(verdict) && !isAnswer(verdict.point)) return verdict;
  }
  return 'unknown';
}

/** Two parts along the feature that has been cut least. Empty: the box is one point. */
function cutInTwo(part: Box, whole: Domain): Box[] {
  const { features } = part.domain.space;
  const widths = features.map((feature) => (part.varies[feature.index] ? shareLeft(part.domain, whole, feature) : 0));
  const most = Math.max(...widths);
  if (!(most > 0)) return [];
  const widest = features[widths.indexOf(most)];
  return widest.kind === 'choice' ? cutChoice(part, widest) : cutNumber(part, widest);
}

/** The remaining share of a feature's width. */
function shareLeft(part: Domain, whole: Domain, feature: Feature): number {
  if (feature.kind === 'choice') return openCategories(part, feature).length / openCategories(whole, feature).length;
  const width = ({ lower, upper }: Domain) => upper[feature.column] - lower[feature.column];
  if (width(part) === Infinity) return Infinity;
  return width(part) > 0 ? width(part) / Math.min(width(whole), Number.MAX_VALUE) : 0;
}

function cutChoice(part: Box, feature: Feature): Box[] {
  const open = openCategories(part.domain, feature);
  const middle = open.length >> 1;
  return [open.slice(0, middle), open.slice(middle)].map((kept) =>
    partOf(part, feature, (domain) => {
      const only = +(kept.length === 1);
      domain.lower.fill(0, feature.column, feature.column + feature.width);
      domain.upper.fill(0, feature.column, feature.column + feature.width);
      for (const c of kept) [domain.lower[c], domain.upper[c]] = [only, 1];
    }),
  );
}

function cutNumber(part: Box, feature: Feature): Box[] {
  const { column } = feature;
  const { domain } = part;
  const cut = lastWithin(domain, feature, placeToCut(domain.lower[column], domain.upper[column]), 1);
  const next = nextValue(domain, feature, cut, 1);
  if (Number.isNaN(cut) || Number.isNaN(next)) return [];
  return [
    partOf(part, feature, ({ upper }) => {
      upper[column] = cut;
    }),
    partOf(part, feature, ({ lower }) => {
      lower[column] = next;
    }),
  ];
}

/** The middle. For an unbounded interval, a point well beyond its finite end. */
function placeToCut(low: number, high: number): number {
  if (Number.isFinite(low) && Number.isFinite(high)) return low / 2 + high / 2;
  if (Number.isFinite(low)) return low + FURTHER * Math.max(1, Math.abs(low));
  return Number.isFinite(high) ? high - FURTHER * Math.max(1, Math.abs(high)) : 0;
}

/** A part with its own point, which lies about in the middle along the cut feature. */
function partOf(box: Box, feature: Feature, narrow: (domain: Domain) => void): Box {
  const domain = cloneDomain(box.domain);
  narrow(domain);
  const { column, width, index, kind } = feature;
  const at = box.at.slice();
  if (kind === 'choice') {
    const [first] = openCategories(domain, feature);
    for (let c = column; c < column + width; c++) at[c] = +(c === first);
  } else at[column] = lastWithin(domain, feature, placeToCut(domain.lower[column], domain.upper[column]), 1);
  const isOpen =
    kind === 'choice' ? openCategories(domain, feature).length > 1 : domain.lower[column] < domain.upper[column];
  return { domain, varies: box.varies.with(index, +isOpen), at };
}

/** The columns of the open categories. */
function openCategories({ upper }: Domain, { column, width }: Feature): number[] {
  return Array.from({ length: width }, (_, k) => column + k).filter((c) => upper[c] > 0);
}
