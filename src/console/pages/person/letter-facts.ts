/** The facts with which letters tell an answer, from the documents that the page has. The page and the letter use the same words. */
import type { OverlayInput, PolicyDocument, PolicyInput } from '../../../documents/policy-document.js';
import { type LetterContext, letterContext } from '../../../report/letters/letter-context.js';
import type { Population } from './population.js';

export interface AnswerSources {
  readonly population: Population;
  /** Whether the population is that of the answer's model. The thresholds of another model would tell nothing. */
  readonly isItsModel: boolean;
  /** The policy and the wishes of the answer. Undefined: not known. Rules are then told without numbers. */
  readonly policy: PolicyInput | undefined;
  readonly overlay: OverlayInput | undefined;
}

export function letterFacts({ population, isItsModel, policy, overlay }: AnswerSources): LetterContext {
  const { features, classes, classLabels, bands } = population;
  const decides = isItsModel && {
    thresholds: thresholdsOf(population),
    model: { features: [...features], classes: [...classes], classLabels, ...(bands && { decision: { bands } }) },
  };
  return letterContext({
    ...{ language: 'en', details: {}, policy: policy && wholePolicy(policy, overlay) },
    ...(decides || { model: { features: [...features], classes: [], classLabels } }),
  });
}

const thresholdsOf = ({ classes, thresholds }: Population): LetterContext['thresholds'] =>
  thresholds && [thresholds[classes[0]], thresholds[classes[1]]];

/** The keys that words read, with their defaults. */
const wholePolicy = (policy: PolicyInput, overlay: OverlayInput | undefined) =>
  ({
    features: {},
    constraints: [],
    ...policy,
    ...(overlay && { overlay: { features: {}, difficulty: {}, ...overlay } }),
  }) as unknown as PolicyDocument;
