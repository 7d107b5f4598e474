/**
 * The recourse map: a point for each person, score to the right, cost of the cheapest answer upwards. People without recourse stand in a strip
 * at the top. The band at the side shows the scores that the target needs.
 */
import type { SummaryDocument } from '../../../documents/summary-document.js';
import { formatCount, formatShort } from '../../numbers.js';
import { EMPTY, type Html, html } from '../escape.js';
import { at, ticksOf } from './axis.js';

const [WIDTH, HEIGHT] = [520, 300];
const [LEFT, RIGHT, BASE, STRIP] = [46, 508, 262, 34];
/** Points of the strip stand in rows, because many have almost the same score. */
const STRIP_ROWS = 5;
const ROUNDING = 1e-9;

export interface AcceptBand {
  /** Undefined: no end on this side. */
  readonly from?: number;
  readonly to?: number;
  readonly text: string;
}

export function recourseMap(map: SummaryDocument['map'], band: AcceptBand | undefined): Html {
  const [low, high] = scoreRange(map, band);
  const top = Math.max(...map.found.map(([, cost]) => cost), 0) || 1;
  const x = (score: number) => LEFT + ((RIGHT - LEFT) * (score - low)) / (high - low);
  const y = (cost: number) => BASE - ((BASE - STRIP - 12) * cost) / top;
  const points = map.found.map(([score, cost]) => html`<circle cx="${at(x(score))}" cy="${at(y(cost))}" r="2.2"/>`);
  const blocked = map.infeasible.map(
    (score, i) => html`<circle cx="${at(x(score))}" cy="${8 + 4 * (i % STRIP_ROWS)}" r="2.2"/>`,
  );
  return html`<svg class="chart" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${inWords(map, band)}">${bandShape(band, x, low, high)}<line class="axis" x1="${LEFT}" x2="${RIGHT}" y1="${BASE}" y2="${BASE}"/><line class="axis" x1="${LEFT}" x2="${LEFT}" y1="${STRIP}" y2="${BASE}"/>${axes(low, high, top, x, y)}<g class="points">${points}</g><g class="blocked">${blocked}</g></svg>`;
}

/** The range of the points and of the band's inner end. Probabilities are drawn from 0 to 1. */
function scoreRange({ scores, leastAnswerScore }: SummaryDocument['map'], band: AcceptBand | undefined) {
  const ends = [scores?.min, scores?.max, leastAnswerScore, band?.from, band?.to].filter((end) => end != null);
  const [low, high] = [Math.min(...ends), Math.max(...ends)];
  if (low >= 0 && high <= 1) return [0, 1] as const;
  const room = (high - low) * 0.04 || 1;
  return [low - room, high + room] as const;
}

function bandShape(band: AcceptBand | undefined, x: (score: number) => number, low: number, high: number): Html {
  if (!band) return EMPTY;
  const [from, to] = [x(Math.max(band.from ?? low, low)), x(Math.min(band.to ?? high, high))];
  const ends = [band.from === undefined ? [] : [from], band.to === undefined ? [] : [to]].flat();
  const lines = ends.map(
    (end) => html`<line class="mark" x1="${at(end)}" x2="${at(end)}" y1="${STRIP}" y2="${BASE}"/>`,
  );
  return html`<rect class="band" x="${at(from)}" y="${STRIP}" width="${at(Math.max(0, to - from))}" height="${BASE - STRIP}"/>${lines}`;
}

function axes(low: number, high: number, top: number, x: (score: number) => number, y: (cost: number) => number) {
  const below = ticksOf(low, high, 6).map(
    ({ value, text }) => html`<text x="${at(x(value))}" y="${BASE + 17}" text-anchor="middle">${text}</text>`,
  );
  const beside = ticksOf(0, top * (1 + ROUNDING), 5).map(
    ({ value, text }) => html`<text x="${LEFT - 7}" y="${at(y(value) + 4)}" text-anchor="end">${text}</text>`,
  );
  return html`${below}${beside}<text x="${at((LEFT + RIGHT) / 2)}" y="${HEIGHT - 4}" text-anchor="middle">score</text><text x="12" y="${at((BASE + STRIP) / 2)}" text-anchor="middle" transform="rotate(-90 12 ${at((BASE + STRIP) / 2)})">cost</text>`;
}

function inWords({ scores, found, infeasible }: SummaryDocument['map'], band: AcceptBand | undefined): string {
  const range = scores ? ` Scores range from ${formatShort(scores.min)} to ${formatShort(scores.max)}.` : '';
  const blocked = infeasible.length
    ? ` ${formatCount(infeasible.length, 'person', 'people')} without recourse ${infeasible.length === 1 ? 'stands' : 'stand'} at the top.`
    : '';
  return `Score against cost for ${formatCount(found.length, 'person', 'people')} with an answer.${range}${blocked}${band ? ` ${band.text}.` : ''}`;
}
