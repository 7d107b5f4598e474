/**
 * The people of the table: all, or a seeded sample in which at most half have an answer as long as others exist. A row is made when it is drawn,
 * so that the sample holds bounded text.
 */
import { ElsewiseError } from '../../documents/error.js';
import { parseDocument } from '../../documents/parse.js';
import { resultSchema } from '../../documents/result-document.js';
import { formatFigure } from '../numbers.js';
import type { PersonResult } from '../summary/person-result.js';
import { SeededSample } from '../summary/seeded-sample.js';
import { targetInWords } from '../target-words.js';
import { describeChange, describeResult, formatScore, valueInWords } from '../words.js';
import { clip, elementText, type Html, html } from './escape.js';
import type { Labels } from './labels.js';
import { recordText } from './record-text.js';

/** The bytes of all rows of the table. */
const MOST_BYTES = 2_800_000;
const LONGEST_RECORD = 30_000;
const LONGEST_SENTENCE = 2000;
const LONGEST_SUMMARY = 400;
const LONGEST_ID = 120;

export interface PeopleRows {
  readonly rows: readonly Html[];
  readonly total: number;
}

export class PeopleSample {
  readonly #most: number;
  readonly #labels: Labels;
  readonly #answered: SeededSample<Html>;
  readonly #others: SeededSample<Html>;

  constructor(most: number, seed: number, labels: Labels) {
    const bytesOf = ({ text }: Html) => Buffer.byteLength(text);
    this.#most = most;
    this.#labels = labels;
    this.#answered = new SeededSample(most, seed, MOST_BYTES, bytesOf);
    this.#others = new SeededSample(most, seed, MOST_BYTES, bytesOf);
  }

  /** `line`: the text of the result. `number`: its place. */
  add(person: PersonResult, line: string, number: number): void {
    const sample = person.answer ? this.#answered : this.#others;
    sample.offer(number, () => rowOf(person, line, this.#labels, number));
  }

  take(): PeopleRows {
    const answered = this.#answered.take();
    const others = this.#others.take(
      Math.max(Math.floor(this.#most / 2), this.#most - answered.length),
      Math.max(MOST_BYTES / 2, MOST_BYTES - bytesOfAll(answered)),
    );
    const rest = this.#answered.take(this.#most - others.length, MOST_BYTES - bytesOfAll(others));
    return { rows: [...rest, ...others], total: this.#answered.offered + this.#others.offered };
  }
}

const bytesOfAll = (rows: readonly Html[]): number => rows.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0);

const BADGES: Readonly<Record<string, readonly [text: string, kind: string]>> = {
  optimal: ['proved cheapest', 'good'],
  gap: ['bound known', ''],
  heuristic: ['no proof', ''],
  already: ['has the target', ''],
  infeasible: ['none exists', 'bad'],
  'not-found': ['none found', 'bad'],
  invalid: ['not readable', 'bad'],
};

function rowOf(person: PersonResult, line: string, labels: Labels, number: number): Html {
  const { id, status, factual, answer } = person;
  const record = recordOf(person, line, labels, number); // first: a broken record is refused here
  const [badge, kind] = BADGES[answer?.proof ?? status];
  const [score, cost] = [factual?.score, answer?.cost];
  return html`<tr data-status="${status}"><th scope="row"><bdi>${clip(id, LONGEST_ID)}</bdi></th><td><details><summary>${clip(shortly(person, labels), LONGEST_SUMMARY)}</summary>${record}</details></td>${numberCell('score', score, formatScore)}${numberCell('cost', cost, formatFigure)}<td data-name=""><span class="badge ${kind}">${badge}</span></td></tr>\n`;
}

const numberCell = (name: string, value: number | undefined, show: (value: number) => string): Html =>
  html`<td class="n" data-name="${name}" data-value="${value ?? ''}">${value === undefined ? '–' : show(value)}</td>`;

function recordOf(person: PersonResult, line: string, labels: Labels, number: number): Html {
  const record: unknown = JSON.parse(line);
  const text = recordText(record);
  const sentence = person.isBrief
    ? ''
    : describeResult(checkedResult(record), { subject: 'Person', features: labels.features });
  const shown =
    text.length <= LONGEST_RECORD
      ? text
      : `${text.slice(0, LONGEST_RECORD)}\n(The record is longer. It is line ${number} of the results.)`;
  return html`${sentence ? html`<p>${clip(sentence, LONGEST_SENTENCE)}</p>` : ''}<pre tabindex="0" aria-label="record of ${clip(person.id, LONGEST_ID)}">${elementText(shown)}</pre>`;
}

function checkedResult(record: unknown) {
  try {
    return parseDocument(resultSchema, record, 'result');
  } catch (error) {
    if (error instanceof ElsewiseError)
      throw new ElsewiseError('bad-input', `this is a broken result: ${error.message}`);
    throw error;
  }
}

/** What would have helped, as a list. */
function shortly({ status, answer, reason }: PersonResult, labels: Labels): string {
  if (answer) {
    const changes = answer.changes.map((change) => changeInWords(change, labels)).join('; ');
    const target = answer.target === undefined ? '' : `${targetInWords(answer.target)}: `;
    return changes ? `${target}${changes}` : 'nothing has to change';
  }
  if (status === 'already') return 'has the target already';
  if (status === 'infeasible') return `nothing that the policy allows${relaxationInWords(reason, labels)}`;
  return status === 'invalid'
    ? `could not be read: ${reason?.message ?? 'no reason is known'}`
    : `nothing was found: ${reason?.message ?? 'no reason is known'}`;
}

function relaxationInWords(reason: PersonResult['reason'], labels: Labels): string {
  const relaxation = reason?.relaxation;
  if (!relaxation || typeof relaxation !== 'object') return '';
  const changes = relaxation.changes.map((change) => describeChange(change, labels.features)).join('; ');
  return `; without the entry "${labels.entry(relaxation.entry)}": ${changes || 'nothing has to change'}`;
}

type Change = NonNullable<PersonResult['answer']>['changes'][number];

function changeInWords({ feature, from, to }: Change, labels: Labels): string {
  if (from === undefined) return `${labels.name(feature)} ${labels.amount(feature, valueInWords(to))}`;
  return describeChange({ feature, from, to }, labels.features);
}
