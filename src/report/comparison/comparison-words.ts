/**
 * A comparison in sentences. A sentence about a sample says so and has an interval for all people. A person for whom nothing was found is
 * not said to have no answer. The tests show differences and never equality.
 */
import type { ComparedGrouping, ComparisonDocument } from '../../documents/comparison-document.js';
import type { Distribution } from '../../documents/summary-document.js';
import { formatCount, formatFigure, formatNumber } from '../numbers.js';

type Compared = Omit<ComparisonDocument, 'words'>;

const LEVEL = 0.05;
const MOST_ENTRIES = 3;

/** Each sentence or group of sentences that has something to say. */
export function comparisonInWords(compared: Compared): string[] {
  const parts = [scope, gains, losses, decisions, costs, proofs, relaxations, ...compared.groups.map(byGroup)];
  return parts.map((part) => part(compared)).filter(Boolean);
}

const number = formatNumber;
const people = (count: number): string => (count === 1 ? '1 person' : `${number(count)} people`);
const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;
const chance = (p: number): string => (p < 0.001 ? 'p < 0.001' : `p = ${p.toFixed(3)}`);
const quartiles = ({ p25, median, p75 }: Distribution): string =>
  `median ${formatFigure(median)}, middle half ${formatFigure(p25)} to ${formatFigure(p75)}`;

function scope({ change, solved, read, sample, people: compared, invalid }: Compared): string {
  const who = solved === 'all' ? people(compared) : `${people(compared)} without an answer`;
  const drawn = sample ? `, a random sample of ${number(sample.of)} (seed ${sample.seed})` : '';
  const others = read.people - (sample?.of ?? compared);
  const left = solved !== 'all' && others > 0 ? ` The other ${people(others)} were not solved again.` : '';
  const faulty = invalid > 0 ? ` The rows of ${people(invalid)} are invalid.` : '';
  return `${change}: ${who}${drawn}.${left}${faulty}`;
}

function gains({ gained, gainedProved, sample, after }: Compared): string {
  if (gained.of === 0) return 'Nobody was without an answer before.';
  const place = sample ? 'In the sample ' : '';
  const verb = gained.people === 1 || gained.of === 1 ? 'gains' : 'gain';
  const first = `${place}${number(gained.people)} of ${people(gained.of)} without an answer ${verb} one (${percent(gained.share)}).`;
  const estimate = sample
    ? ` Among all such people the share lies between ${percent(gained.low)} and ${percent(gained.high)} (95 % confidence).`
    : '';
  const unproved = gained.people - gainedProved;
  const proof =
    unproved > 0 ? ` For ${number(unproved)} of them nothing had been found before, and nothing had been proved.` : '';
  const { infeasible, 'not-found': notFound } = after.statuses;
  const rest = infeasible + notFound === 0 ? '' : ` With the change ${restInWords(infeasible, notFound)}`;
  return first + estimate + proof + rest;
}

function restInWords(infeasible: number, notFound: number): string {
  const proved = infeasible > 0 ? `${people(infeasible)} ${infeasible === 1 ? 'has' : 'have'} no answer, proved` : '';
  const open = notFound > 0 ? `for ${people(notFound)} nothing was found and nothing was proved` : '';
  return `${[proved, open].filter(Boolean).join(', and ')}.`;
}

function losses({ solved, lost, lostProved, answersTest }: Compared): string {
  if (solved !== 'all' || lost.of === 0) return '';
  if (lost.people === 0) return 'Nobody loses an answer.';
  const open = lost.people - lostProved;
  const doubt = open > 0 ? ` For ${number(open)} of them this is not proved: nothing was found.` : '';
  const test =
    answersTest !== null && answersTest < LEVEL
      ? ` Gains and losses are more uneven than chance alone explains (McNemar's exact test, ${chance(answersTest)}).`
      : '';
  return `${number(lost.people)} of ${people(lost.of)} with an answer ${lost.people === 1 ? 'loses' : 'lose'} it.${doubt}${test}`;
}

function decisions({ predictions: { same, differing, pairs } }: Compared): string {
  if (differing === 0) return '';
  const shown = pairs
    .slice(0, MOST_ENTRIES)
    .map((pair) => `${number(pair.people)} from ${pair.before} to ${pair.after}`);
  const which = shown.length ? `: ${shown.join(', ')}` : '';
  return `The prediction for the row as it is differs for ${number(differing)} of ${people(same + differing)}${which}.`;
}

function costs({ solved, read, after, before, cost }: Compared): string {
  if (!after.cost) return '';
  if (solved !== 'all') {
    const others = read.cost && cost.comparable ? ` The answers before: ${quartiles(read.cost)}.` : '';
    return `The new answers cost: ${quartiles(after.cost)}.${others}${cost.comparable ? '' : ` ${OTHER_UNITS}`}`;
  }
  if (!cost.comparable) return `The answers with the change cost: ${quartiles(after.cost)}. ${OTHER_UNITS}`;
  const sides = `Costs before: ${before.cost ? quartiles(before.cost) : 'no answers'}. With the change: ${quartiles(after.cost)}.`;
  return cost.difference ? `${sides} ${pairedCosts(cost)}` : sides;
}

const paying = (count: number): string => `${number(count)} ${count === 1 ? 'pays' : 'pay'}`;

const OTHER_UNITS = 'The two sides measure costs in different ways: the costs are not compared.';

function pairedCosts({ both, cheaper, dearer, same, difference, p }: Compared['cost']): string {
  const counts = `Of ${people(both)} with an answer on both sides, ${paying(cheaper.people)} less, ${paying(dearer.people)} more, ${number(same)} the same; the median difference is ${signedFigure(difference!.median)}.`;
  if (p === null || p >= LEVEL) return counts;
  return `${counts} The direction is more uneven than chance alone explains (sign test, ${chance(p)}).`;
}

const signedFigure = (value: number): string =>
  `${value > 0 ? '+' : value < 0 ? '−' : ''}${formatFigure(Math.abs(value))}`;

/** Costs of answers that are not proved cheapest are upper bounds. */
function proofs({ before, after, cost }: Compared): string {
  const open = [before, after].map(({ proofs: { gap, heuristic } }) => gap + heuristic);
  if (open[0] + open[1] === 0 || !cost.comparable) return '';
  return `Not proved to be cheapest: ${formatCount(open[0], 'answer')} before and ${number(open[1])} with the change. Cheaper answers may exist.`;
}

function relaxations({ relaxations: { entries, people: infeasible, noSingleEntry } }: Compared): string {
  if (entries.length === 0) return '';
  const shown = entries.slice(0, MOST_ENTRIES).map((one) => `${one.entry} (${number(one.people)})`);
  const none = noSingleEntry > 0 ? ` For ${number(noSingleEntry)} no single entry helps.` : '';
  return `The single entry whose removal helps most, for ${people(infeasible)} with a proof that there is no answer: ${shown.join(', ')}. An entry may help further people.${none}`;
}

function byGroup(grouping: ComparedGrouping): (compared: Compared) => string {
  return () => {
    const { feature, groups, gainedTest: test } = grouping;
    if (groups.length === 0) return `By ${feature}: no group is large enough for figures.`;
    const shares = groups.map(
      ({ name, gained }) =>
        `${name} ${percent(gained.share)} (${number(gained.people)} of ${number(gained.of)}, ${percent(gained.low)} to ${percent(gained.high)})`,
    );
    return `Gains by ${feature}: ${shares.join('; ')}. ${testInWords(test.adjusted)}`;
  };
}

function testInWords(p: number | null): string {
  if (p === null) return 'The groups were not compared: there are too few groups or people.';
  if (p < LEVEL)
    return `The shares differ by more than chance alone explains (corrected ${chance(p)}). The test tells no cause.`;
  return `The data do not show a difference between the groups (corrected ${chance(p)}). This is no proof of equality.`;
}
