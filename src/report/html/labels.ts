/** The names of features and entries of the policy for readers of a report. */
import type { FeatureDocument, RowValue } from '../../documents/model-document.js';
import type { FeatureRuleDocument, PolicyDocument } from '../../documents/policy-document.js';
import { formatNumber } from '../numbers.js';
import { withUnit } from '../units.js';
import { nameInWords, valueInWords } from '../words.js';

const LONGEST = 200;
type RuleKey = keyof FeatureRuleDocument;

export class Labels {
  readonly #features: ReadonlyMap<string, FeatureDocument>;

  constructor(
    readonly features: readonly FeatureDocument[],
    private readonly policy?: PolicyDocument,
  ) {
    this.#features = new Map(features.map((feature) => [feature.name, feature]));
  }

  name(feature: string): string {
    return nameInWords(feature, this.#features.get(feature)?.label).slice(0, LONGEST);
  }

  /** `1,200 EUR` */
  amount(feature: string, value: string): string {
    return withUnit(value, this.#features.get(feature)?.unit);
  }

  /** An entry of the policy in words: `income increases by at most 500 EUR`. Without the policy: `the largest increase of income`. */
  entry(path: string): string {
    const [, feature, key] = /^features\.(.*)\.([a-zA-Z]+)$/s.exec(path) ?? [];
    if (feature !== undefined && Object.hasOwn(RULES, key)) return this.#ruleInWords(feature, key as RuleKey);
    const [, index] = /^constraints\[(\d+)\]$/.exec(path) ?? [];
    if (index !== undefined) return this.policy?.constraints[Number(index)] ?? `the condition ${Number(index) + 1}`;
    const [, lever] = /^levers\.(.*)$/s.exec(path) ?? [];
    if (lever !== undefined) return `only features of "${lever}" change`;
    return this.#otherEntry(path);
  }

  #ruleInWords(feature: string, key: RuleKey): string {
    const features = this.policy?.features;
    const value = features && Object.hasOwn(features, feature) ? features[feature][key] : undefined;
    const { known, unknown } = RULES[key]!;
    if (value === undefined) return `${unknown} ${this.name(feature)}`;
    const said = typeof value === 'number' ? this.amount(feature, formatNumber(value)) : listed(value);
    return `${this.name(feature)} ${known(said)}`;
  }

  #otherEntry(path: string): string {
    const { maxChanges, margin } = this.policy ?? {};
    if (path === 'maxChanges')
      return maxChanges === undefined
        ? 'the largest number of changes'
        : `at most ${maxChanges === 1 ? '1 feature changes' : `${maxChanges} features change`}`;
    if (path === 'margin')
      return margin === undefined
        ? 'the margin past the decision boundary'
        : `the margin of ${margin} past the boundary`;
    return path === 'plausibility' ? 'answers stay plausible' : path;
  }
}

const CHANGE: Readonly<Record<string, string>> = {
  never: 'does not change',
  increase: 'only increases',
  decrease: 'only decreases',
  any: 'changes in both directions',
};

const RULES: Readonly<Record<string, { known(value: string): string; unknown: string }>> = {
  change: { known: (value) => CHANGE[value] ?? value, unknown: 'the direction of' },
  min: { known: (value) => `is at least ${value}`, unknown: 'the lower limit of' },
  max: { known: (value) => `is at most ${value}`, unknown: 'the upper limit of' },
  maxIncrease: { known: (value) => `increases by at most ${value}`, unknown: 'the largest increase of' },
  maxDecrease: { known: (value) => `decreases by at most ${value}`, unknown: 'the largest decrease of' },
  step: { known: (value) => `changes in steps of ${value}`, unknown: 'the steps of' },
  allow: { known: (value) => `is one of ${value}`, unknown: 'the permitted values of' },
};

const listed = (value: unknown): string =>
  Array.isArray(value) ? value.map((one) => valueInWords(one as RowValue)).join(', ') : String(value);
