/**
 * A row as the line that `explain` writes: byte for byte `JSON.stringify` of its document, in the order in which results set their keys. No
 * document is built, and a value that occurs three times in a line is converted to text once.
 */
import type { RowValue } from '../../documents/model-document.js';
import {
  type AnswerShape,
  type ResultRow,
  type RowAnswer,
  type Shape,
  type Shown,
  type Terms,
  UNPROVED,
} from './result-row.js';

/** The text that lines of the same terms share. */
interface Labels {
  readonly head: string;
  /** By feature: the text before its value, and before a change of it. */
  readonly value: readonly string[];
  readonly change: readonly string[];
}

const labels = new WeakMap<Terms, Labels>();
const targets = new WeakMap<Shape, string>();

/** Without a line end. */
export function lineOf(row: ResultRow): string {
  const { terms, shape, id, elapsedMs, attemptMs, reason, factual, answers } = row;
  const { schema, seed } = terms.common;
  const known = memoise(labels, terms, () => labelsOf(terms));
  const before = factual?.values.map(textOf) ?? [];
  let line = `{"schema":${JSON.stringify(schema)},"id":${JSON.stringify(id)},"status":"${shape.status}",`;
  line += `${known.head},"target":${memoise(targets, shape, () => JSON.stringify(shape.target))},"factual":`;
  line += factual ? `{"features":${featuresText(known, before)},${standingText(shape.factual!, factual)}},` : 'null,';
  if (shape.decision) line += `"decision":${JSON.stringify(shape.decision)},`;
  line += '"counterfactuals":[';
  for (let i = 0; i < answers.length; i++)
    line += (i ? ',' : '') + answerText(known, before, shape.counterfactuals[i], answers[i]);
  const costs = row.reasons === undefined ? '' : `,"reasons":${row.reasons}`;
  line += `${reason === undefined ? ']' : `],"reason":${reason}`}${costs}${leversText(row)},"attempts":[`;
  for (let i = 0; i < attemptMs.length; i++) {
    const { solver, outcome } = shape.attempts[i];
    line += `${i ? ',' : ''}{"solver":${JSON.stringify(solver)},"outcome":"${outcome}","ms":${numberText(attemptMs[i])}}`;
  }
  const limitedBy = shape.limitedBy ? `"limitedBy":"${shape.limitedBy}",` : '';
  return `${line}],"degraded":${shape.degraded},${limitedBy}"seed":${seed},"elapsedMs":${numberText(elapsedMs)}}`;
}

function leversText({ shape: { levers }, leverReasons }: ResultRow): string {
  if (!levers) return '';
  let reasons = 0;
  const texts = levers.map(({ lever, status, hasReason }) => {
    const reason = hasReason ? `,"reason":${leverReasons[reasons++]}` : '';
    return `{"lever":${JSON.stringify(lever)},"status":"${status}"${reason}}`;
  });
  return `,"levers":[${texts.join(',')}]`;
}

function memoise<K extends object, T>(known: WeakMap<K, T>, key: K, make: () => T): T {
  const found = known.get(key) ?? make();
  known.set(key, found);
  return found;
}

function labelsOf({ common: { model, policy, defaults }, names }: Terms): Labels {
  const quoted = names.map((name) => JSON.stringify(name));
  const chosen = defaults ? `,"defaults":${JSON.stringify(defaults)}` : '';
  return {
    head: `"model":${JSON.stringify(model)},"policy":${JSON.stringify(policy)}${chosen}`,
    value: quoted.map((name, f) => `${f ? ',' : ''}${name}:`),
    change: quoted.map((name) => `{"feature":${name},"from":`),
  };
}

/** JSON has no number that is not finite. */
const numberText = (value: number) => (Number.isFinite(value) ? `${value}` : 'null');

const textOf = (value: RowValue) =>
  typeof value === 'number' ? numberText(value) : typeof value === 'string' ? JSON.stringify(value) : `${value}`;

function featuresText({ value }: Labels, texts: readonly string[]): string {
  let text = '{';
  for (let f = 0; f < value.length; f++) text += value[f] + texts[f];
  return `${text}}`;
}

function standingText(shown: Shown, { prediction, score }: { prediction: number | undefined; score: number }): string {
  const text = shown === 'number' ? numberText(prediction!) : JSON.stringify(shown.class);
  return `"prediction":${text},"score":${numberText(score)}`;
}

function answerText(known: Labels, before: readonly string[], shape: AnswerShape, answer: RowAnswer): string {
  const { set, values, cost, l1, l2, region, path, plausibility } = answer;
  const after = before.slice();
  let changes = '';
  for (let i = 0; i < set.length; i++) {
    const f = set[i];
    after[f] = textOf(values[i]);
    changes += `${i ? ',' : ''}${known.change[f]}${before[f]},"to":${after[f]}}`;
  }
  const distances = `{"l0":${set.length},"l1":${numberText(l1)},"l2":${numberText(l2)}}`;
  const band = shape.band === undefined ? '' : `"band":${JSON.stringify(shape.band)},`;
  const text =
    `{"features":${featuresText(known, after)},${standingText(shape.shown, answer)},${band}"changes":[${changes}],` +
    `"cost":${numberText(cost)},"distances":${distances},"solver":${JSON.stringify(shape.solver)},` +
    `"proof":${proofText(shape, answer)}`;
  const lever = shape.lever === undefined ? '' : `,"lever":${JSON.stringify(shape.lever)}`;
  const way = path === undefined ? '' : `,"path":${path}`;
  const plausible = plausibility === undefined ? '' : `,"plausibility":${plausibility}`;
  return `${region === undefined ? text : `${text},"region":${region}`}${lever}${way}${plausible}}`;
}

function proofText({ proof }: AnswerShape, { bound }: RowAnswer): string {
  if (proof === UNPROVED || !bound) return `{"kind":"${proof}","lowerBound":null,"gap":null}`;
  return `{"kind":"${proof}","lowerBound":${numberText(bound.lower)},"gap":${numberText(bound.gap)}}`;
}
