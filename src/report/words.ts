/** Results as text on which a person can act. Pure: documents in, text out. */
import type { FeatureDocument, RowValue } from '../documents/model-document.js';
import type { TargetDocument } from '../documents/policy-document.js';
import type {
  CounterfactualDocument,
  LeverDocument,
  Reason,
  RegionDocument,
  ResultDocument,
  RungDocument,
} from '../documents/result-document.js';
import { formatInward, formatNumber } from './numbers.js';
import { targetInWords } from './target-words.js';
import { withUnit } from './units.js';

export interface WordsOptions {
  /** The noun for a row: `Applicant`. */
  readonly subject?: string;
  readonly features: readonly FeatureDocument[];
}

export function describeResult(result: ResultDocument, options: WordsOptions): string {
  return SENTENCES[result.status](result, options);
}

type Sentence = (result: ResultDocument, options: WordsOptions) => string;

const SENTENCES: Readonly<Record<ResultDocument['status'], Sentence>> = {
  found(result, options) {
    if (result.targets) return everyTarget(result, options);
    if (result.levers) return `${standing(result, options)}${result.levers.map(leverIn(result, options)).join('')}`;
    const [best, ...others] = result.counterfactuals;
    const more = others.map((other) => ` Or ${way(other, result, options)}`).join('');
    return `${standing(result, options)} It would have been ${way(best, result, options)}${more}`;
  },
  already: (result, options) =>
    result.targets ? everyTarget(result, options) : `${standing(result, options)} That is the target already.`,
  infeasible(result, options) {
    if (result.targets) return everyTarget(result, options);
    const nothing = `${standing(result, options)} Nothing that the policy allows ${helped(result.reason)}.`;
    if (result.levers) return `${nothing}${result.levers.map(leverIn(result, options)).join('')}`;
    return `${nothing}${because(result.reason, options)}`;
  },
  'not-found': (result, options) =>
    result.targets
      ? everyTarget(result, options)
      : `${standing(result, options)} No way to change that was found: ${why(result.reason)}.`,
  invalid: ({ id, reason }, options) =>
    `${subject(options)} ${id} could not be read: ${(reason?.faults ?? [reason]).map(faultInWords).join('; ')}.`,
};

const faultInWords = (fault: Pick<Reason, 'path' | 'message'> | undefined): string =>
  [fault?.path, fault?.message].filter(Boolean).join(' ');

const subject = (options: WordsOptions): string => options.subject ?? 'Row';

const why = (reason: Reason | undefined): string => reason?.message ?? 'no reason is known';

/** Where the margin blocks, the model may accept a change that the policy does not. */
const helped = (reason: Reason | undefined, otherwise = 'would have changed that'): string =>
  reason?.blocking?.includes('margin') ? 'would have reached the target by the margin of the policy' : otherwise;

function standing({ id, factual, counterfactuals, decision }: ResultDocument, options: WordsOptions): string {
  if (!factual) return `${subject(options)} ${id} was not scored.`;
  const said =
    typeof factual.prediction === 'number'
      ? `predicted ${formatNumber(factual.prediction)}`
      : scored(
          factual,
          counterfactuals.map(({ score }) => score),
          decision?.band,
        );
  const band = typeof factual.prediction === 'number' && decision ? bandInWords(decision.band) : '';
  return `${subject(options)} ${id} was ${said}${band}.`;
}

const scored = (
  { prediction, score }: { prediction: string | number; score: number },
  others: readonly number[],
  band: string | null | undefined,
): string => `${prediction} (score ${formatScore(score, ...others)}${bandInWords(band)})`;

/** `, band B`. Undefined: the model has no bands. */
function bandInWords(band: string | null | undefined): string {
  if (band === undefined) return '';
  return band === null ? ', below all bands' : `, band ${band}`;
}

type Wish = Pick<CounterfactualDocument, 'prediction' | 'score' | 'band'>;

/** `target`: that of the answer. A prediction that is not the one class of the target: the target is a band. */
function wish({ prediction, score, band }: Wish, target?: TargetDocument | null, own?: number): string {
  const isOfBand = band && typeof target === 'string' && target !== prediction;
  if (typeof prediction === 'number')
    return `predicted ${formatNumber(prediction)}${isOfBand ? bandInWords(band) : ''}`;
  const shown = formatScore(score, ...(own === undefined ? [] : [own]));
  return isOfBand ? `in band ${band} (${shown})` : `${prediction} (${shown})`;
}

const MOST_SCORE_DIGITS = 9;

/**
 * Two digits, or more where the score would look like 0, 1 or one of the `others` and is not. A score below its threshold must not look
 * like the threshold.
 */
export function formatScore(score: number, ...others: readonly number[]): string {
  if (Math.abs(score) >= 1) return formatNumber(score);
  const marks = [0, 1, -1, ...others].filter((mark) => mark !== score);
  for (let digits = 2; digits <= MOST_SCORE_DIGITS; digits++) {
    const shown = score.toFixed(digits);
    if (marks.every((mark) => Number(mark.toFixed(digits)) !== Number(shown))) return shown;
  }
  return String(score);
}

/** Each target of several has a sentence of its own. */
function everyTarget(result: ResultDocument, options: WordsOptions): string {
  return `${standing(result, options)}${result.targets!.map((rung) => rungInWords(rung, result, options)).join('')}`;
}

/** ` For the target B: it would have been in band B (0.72) with: income from 2,100 to 2,600 EUR/month.` */
function rungInWords({ target, status, reason }: RungDocument, result: ResultDocument, options: WordsOptions): string {
  const name = targetInWords(target);
  if (status === 'already') return ` The target ${name} is reached already.`;
  if (status === 'infeasible')
    return ` For the target ${name}: nothing that the policy allows ${helped(reason, 'would have reached it')}.${because(reason, options)}`;
  if (status === 'not-found') return ` For the target ${name} no way was found: ${why(reason)}.`;
  const key = JSON.stringify(target);
  const answers = result.counterfactuals.filter((answer) => JSON.stringify(answer.target) === key);
  return ` For the target ${name}: it would have been ${answers.map((answer) => way(answer, result, options)).join(' Or ')}`;
}

/** ` By earnings alone it would have been approved (0.65) with: income from 2,100 to 2,600 EUR/month.` */
function leverIn(result: ResultDocument, options: WordsOptions): (lever: LeverDocument) => string {
  return ({ lever, status, reason }) => {
    const answers = result.counterfactuals.filter((answer) => answer.lever === lever);
    const ways = answers.map((answer) => way(answer, result, options));
    const by = ` By ${nameInWords(lever)} alone`;
    if (ways.length) return `${by} it would have been ${ways.join(' Or ')}`;
    if (status === 'infeasible') return `${by} nothing ${helped(reason)}.${because(reason, options)}`;
    return `${by} no way to change that was found: ${why(reason)}.`;
  };
}

function because(reason: Reason | undefined, options: WordsOptions): string {
  return reason ? `${blocked(reason)}${relaxed(reason, options)}` : '';
}

/** States only the proved facts about the policy's entries. */
function blocked({ blocking, minimal, message }: Reason): string {
  if (!blocking) return '';
  if (!blocking.length) return ` ${message[0].toUpperCase()}${message.slice(1)}.`;
  const needed = minimal === 'undetermined' ? ' Whether all of these are needed for that is undetermined.' : '';
  return ` What stands in the way: ${blocking.join(', ')}.${needed}`;
}

function relaxed({ blocking, relaxation }: Reason, options: WordsOptions): string {
  if (!blocking?.length || relaxation === undefined) return '';
  if (relaxation === null) return ' Leaving out a single entry would not help.';
  if (relaxation === 'undetermined') return ' Whether leaving out a single entry would help is undetermined.';
  const changes = relaxation.changes.map((change) => describeChange(change, options.features)).join('; ');
  if (!changes) return ` Without ${relaxation.entry} nothing would have to change.`;
  return ` Without ${relaxation.entry} it would take: ${changes}.`;
}

/** `approved (0.65) with: income from 2,100 to 2,600 EUR/month. Every permitted value within this would do: income at least 2,600 EUR/month.` */
function way(answer: CounterfactualDocument, { factual, target }: ResultDocument, options: WordsOptions): string {
  const room = answer.region
    ? ` Every permitted value within this would do: ${describeRegion(answer.region, options.features)}.`
    : '';
  return `${wish(answer, answer.target ?? target, factual?.score)} with: ${listChanges(answer, options)}.${stepsOf(answer, options)}${room}`;
}

/**
 * ` Step by step: 1. income from 2,100 to 2,300 EUR/month (rejected, score 0.48); 2. income from 2,300 to 2,600 EUR/month
 * (approved, score 0.65).`
 */
function stepsOf({ path }: CounterfactualDocument, { features }: WordsOptions): string {
  if (!path || path.steps.length < 2) return '';
  const steps = path.steps.map((step, k) => {
    const changes = step.changes.map((change) => describeChange(change, features)).join(', ');
    const said =
      typeof step.prediction === 'number' ? wish(step) : `${step.prediction}, score ${formatScore(step.score)}`;
    return `${k + 1}. ${changes} (${said})`;
  });
  return ` Step by step: ${steps.join('; ')}.`;
}

/** `debt ratio at most 0.4, income at least 2,600 EUR/month, housing own or rent` */
export function describeRegion({ features: ranges }: RegionDocument, features: readonly FeatureDocument[]): string {
  return Object.entries(ranges)
    .map(([name, range]) => {
      const known = features.find((feature) => feature.name === name);
      return `${nameInWords(name, known?.label)} ${rangeInWords(range, known?.unit)}`;
    })
    .join(', ');
}

function rangeInWords(range: RegionDocument['features'][string], unit: string | undefined): string {
  if ('in' in range) return range.in.map(valueInWords).join(' or ');
  const { from, to } = range;
  // Ends are rounded into the region, because the stated range must hold.
  const [low, high] = [from === undefined ? '' : formatInward(from, 1), to === undefined ? '' : formatInward(to, -1)];
  if (from !== undefined && from === to) return withUnit(formatNumber(from), unit);
  if (low && high) return `from ${low} to ${withUnit(high, unit)}`;
  if (low) return `at least ${withUnit(low, unit)}`;
  return high ? `at most ${withUnit(high, unit)}` : 'anything';
}

function listChanges({ changes }: CounterfactualDocument, { features }: WordsOptions): string {
  return changes.map((change) => describeChange(change, features)).join('; ');
}

type Change = CounterfactualDocument['changes'][number];

/** `income from 2,100 to 2,600 EUR/month` */
export function describeChange({ feature, from, to }: Change, features: readonly FeatureDocument[]): string {
  const known = features.find(({ name }) => name === feature);
  return `${nameInWords(feature, known?.label)} from ${valueInWords(from)} to ${withUnit(valueInWords(to), known?.unit)}`;
}

/** `monthlyDebt` and `monthly_debt` read `monthly debt`. */
export function nameInWords(name: string, label?: string): string {
  if (label) return label;
  const spaced = name.replace(/[_-]+/g, ' ').replace(/([a-z0-9])([A-Z])|([a-z])([0-9])/g, '$1$3 $2$4');
  return spaced === name ? name : spaced.toLowerCase();
}

export function valueInWords(value: RowValue): string {
  if (value === null) return 'unknown';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return typeof value === 'number' ? formatNumber(value) : value;
}
