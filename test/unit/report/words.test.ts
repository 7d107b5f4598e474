import { describe, expect, it } from 'vitest';
import type { FeatureDocument } from '../../../src/documents/model-document.js';
import type { CounterfactualDocument, Reason, ResultDocument } from '../../../src/documents/result-document.js';
import { formatClock, formatNumber, formatPercent, formatSeconds, formatShort } from '../../../src/report/numbers.js';
import { describeChange, describeRegion, describeResult, formatScore, nameInWords } from '../../../src/report/words.js';

const features: FeatureDocument[] = [
  { name: 'income', type: 'continuous', unit: 'EUR/month' },
  { name: 'hasGuarantor', type: 'boolean' },
  { name: 'housing', type: 'categorical', categories: ['own', 'rent'], label: 'place to live' },
];

const counterfactual: CounterfactualDocument = {
  features: {},
  prediction: 'approved',
  score: 0.52,
  changes: [{ feature: 'income', from: 2100, to: 2600 }],
  cost: 1,
  distances: { l0: 1, l1: 1, l2: 1 },
  solver: 'hyperplane',
  proof: { kind: 'optimal', lowerBound: 1, gap: 0 },
};

function words(changes: Partial<ResultDocument>): string {
  const result: ResultDocument = {
    schema: 'elsewise.result/v1',
    id: 'a-0042',
    status: 'found',
    model: { name: 'm', version: null, digest: '' },
    policy: { name: 'p', digest: '' },
    target: 'approved',
    factual: { features: {}, prediction: 'rejected', score: 0.414 },
    counterfactuals: [counterfactual],
    attempts: [],
    degraded: false,
    seed: 0,
    elapsedMs: 0,
    ...changes,
  };
  return describeResult(result, { subject: 'Applicant', features });
}

const relaxation = {
  entry: 'features.income.max',
  cost: 3,
  changes: counterfactual.changes,
  proof: counterfactual.proof,
};

function whyNot(known: Partial<Reason>): string {
  const blocking = ['features.income.max', 'maxChanges'];
  const reason = { code: 'infeasible', message: '', blocking, minimal: true, ...known };
  return words({ status: 'infeasible', counterfactuals: [], reason });
}

describe('a result in words', () => {
  it('that was found', () => {
    expect(words({})).toBe(
      'Applicant a-0042 was rejected (score 0.41). It would have been approved (0.52) with: income from 2,100 to 2,600 EUR/month.',
    );
  });

  it('that was found in several ways', () => {
    const other = { ...counterfactual, changes: [{ feature: 'hasGuarantor', from: false, to: true }] };
    expect(words({ counterfactuals: [counterfactual, other] })).toContain(
      'Or approved (0.52) with: has guarantor from no to yes.',
    );
  });

  it('with the region around it, its ends rounded into it', () => {
    const region = {
      features: { income: { from: 2599.00000004 }, housing: { in: ['own', 'rent'] } },
      proof: { kind: 'proved' as const, maximal: true },
    };
    expect(words({ counterfactuals: [{ ...counterfactual, region }] })).toContain(
      'Every permitted value within this would do: income at least 2,599.01 EUR/month, place to live own or rent.',
    );
    const told = (range: { from?: number; to?: number }) =>
      describeRegion({ features: { debtRatio: range }, proof: region.proof }, features);
    expect(told({ to: 0.39999999 })).toBe('debt ratio at most 0.399999');
    expect(told({ from: 1, to: 2.5 })).toBe('debt ratio from 1 to 2.5');
    expect(told({ from: 3, to: 3 })).toBe('debt ratio 3');
    expect(told({})).toBe('debt ratio anything');
  });

  it('of a regressor', () => {
    const counterfactuals = [{ ...counterfactual, prediction: 250.5, score: 250.5 }];
    const factual = { features: {}, prediction: 1200, score: 1200 };
    expect(words({ factual, counterfactuals })).toContain(
      'was predicted 1,200. It would have been predicted 250.5 with:',
    );
  });

  it('that needs no change', () => {
    expect(words({ status: 'already', counterfactuals: [] })).toContain('That is the target already.');
  });

  it('that is proved impossible', () => {
    expect(whyNot({ relaxation })).toBe(
      'Applicant a-0042 was rejected (score 0.41). Nothing that the policy allows would have changed that. ' +
        'What stands in the way: features.income.max, maxChanges. ' +
        'Without features.income.max it would take: income from 2,100 to 2,600 EUR/month.',
    );
  });

  it('that is proved impossible, and no more than that', () => {
    expect(whyNot({ relaxation: null })).toContain('maxChanges. Leaving out a single entry would not help.');
    expect(whyNot({ relaxation: { ...relaxation, entry: 'margin', changes: [] } })).toContain(
      'Without margin nothing would have to change.',
    );
    const open = whyNot({ minimal: 'undetermined', relaxation: 'undetermined' });
    expect(open).toContain(
      'What stands in the way: features.income.max, maxChanges. Whether all of these are needed for that is undetermined. ' +
        'Whether leaving out a single entry would help is undetermined.',
    );
    const message = "no row within the model's own types has the target, whatever the policy";
    expect(whyNot({ blocking: [], relaxation: null, message })).toBe(
      'Applicant a-0042 was rejected (score 0.41). Nothing that the policy allows would have changed that. ' +
        "No row within the model's own types has the target, whatever the policy.",
    );
  });

  it('that was not found', () => {
    const reason = { code: 'deadline', message: 'the time ran out' };
    expect(words({ status: 'not-found', counterfactuals: [], reason })).toContain('was found: the time ran out.');
  });

  it('that could not be read', () => {
    const reason = { code: 'invalid', message: 'is missing', path: 'features.income' };
    expect(words({ status: 'invalid', factual: null, counterfactuals: [], reason })).toBe(
      'Applicant a-0042 could not be read: features.income is missing.',
    );
  });
});

describe('changes and names', () => {
  it('use labels, and say when a value was not known', () => {
    expect(describeChange({ feature: 'housing', from: null, to: 'own' }, features)).toBe(
      'place to live from unknown to own',
    );
  });

  it.each([
    ['income', 'income'],
    ['monthlyDebt', 'monthly debt'],
    ['monthly_debt', 'monthly debt'],
    ['latePayments12m', 'late payments 12m'],
    ['BMI', 'BMI'],
  ])('%s reads %s', (name, text) => {
    expect(nameInWords(name)).toBe(text);
  });
});

describe('numbers', () => {
  it.each([
    [formatNumber(2600), '2,600'],
    [formatNumber(0.123456789), '0.123457'],
    [formatNumber(-12345.678), '-12,345.7'],
    [formatNumber(12345678.9), '12,345,679'],
    [formatShort(0.0123456), '0.0123'],
    [formatShort(1234.5), '1,235'],
    [formatPercent(1, 3), '33.3 %'],
    [formatPercent(99_999, 100_000), '99.9 %'],
    [formatPercent(0, 0), '-'],
    [formatClock(62), '1:02'],
    [formatClock(3723), '1:02:03'],
    [formatSeconds(1234), '1.2 s'],
    [formatSeconds(125_000), '2:05 min'],
  ])('%s', (shown, expected) => {
    expect(shown).toBe(expected);
  });
});

describe('a claim that nothing helps', () => {
  it('names the margin where the margin blocks: the model may accept less', () => {
    expect(whyNot({ blocking: ['features.income.max', 'margin'] })).toContain(
      'Nothing that the policy allows would have reached the target by the margin of the policy.',
    );
    expect(whyNot({})).toContain('Nothing that the policy allows would have changed that.');
    const reason = { code: 'infeasible', message: '', blocking: ['levers.pay', 'margin'] };
    expect(
      words({ status: 'infeasible', counterfactuals: [], levers: [{ lever: 'pay', status: 'infeasible', reason }] }),
    ).toContain('By pay alone nothing would have reached the target by the margin of the policy.');
  });
});

describe('a score', () => {
  it('has more digits near 0, 1 and other scores that it must not look like', () => {
    expect([0.414, 0.99997, 0.00004, 0, 1, -0.5, 12].map((score) => formatScore(score))).toEqual([
      ...['0.41', '0.99997', '0.00004', '0.00', '1', '-0.50', '12'],
    ]);
    expect([formatScore(0.5995, 0.6), formatScore(0.6, 0.5995), formatScore(0.6, 0.6)]).toEqual([
      ...['0.5995', '0.6000', '0.60'],
    ]);
    expect(words({ factual: { features: {}, prediction: 'rejected', score: 0.5199 } })).toContain(
      'was rejected (score 0.5199). It would have been approved (0.5200)',
    );
  });
});

describe('bands and several targets in words', () => {
  const decision = { band: 'C', calibrated: false };
  const toBand = (target: string, band: string, score: number): CounterfactualDocument => ({
    ...counterfactual,
    ...{ target, band, score },
    prediction: 'rejected',
  });

  it('a band is the outcome where the target is a band', () => {
    const { target: _, ...answer } = toBand('B', 'A', 0.92);
    expect(words({ target: 'B', decision, counterfactuals: [answer] })).toBe(
      'Applicant a-0042 was rejected (score 0.41, band C). It would have been in band A (0.92) with: income from 2,100 to 2,600 EUR/month.',
    );
    expect(words({ decision: { ...decision, band: null } })).toContain(
      '(score 0.41, below all bands). It would have been approved (0.52)',
    );
    const predicted = { target: 'B', counterfactuals: [{ ...answer, prediction: 210, score: 210 }] };
    const factual = { features: {}, prediction: 190, score: 190 };
    expect(words({ ...predicted, decision, factual })).toContain(
      'was predicted 190, band C. It would have been predicted 210, band A with:',
    );
  });

  it('each target has its answers or its reason', () => {
    const reason = {
      code: 'infeasible',
      message: 'nothing helps',
      blocking: ['features.income.max'],
      relaxation: null,
    };
    const targets = [
      { target: 'A', status: 'infeasible', reason },
      { target: 'B', status: 'found' },
      { target: { from: 0.5 }, status: 'not-found', reason: { code: 'limit', message: 'the effort ended' } },
      { target: 'C', status: 'already' },
    ] as const;
    const known = { targets: [...targets], target: 'B', decision };
    expect(words({ ...known, counterfactuals: [toBand('B', 'B', 0.72)] })).toBe(
      'Applicant a-0042 was rejected (score 0.41, band C).' +
        ' For the target A: nothing that the policy allows would have reached it. What stands in the way: features.income.max. Leaving out a single entry would not help.' +
        ' For the target B: it would have been in band B (0.72) with: income from 2,100 to 2,600 EUR/month.' +
        ' For the target score from 0.5 no way was found: the effort ended.' +
        ' The target C is reached already.',
    );
    const none = targets.filter(({ status }) => status === 'infeasible');
    expect(words({ ...known, targets: none, status: 'infeasible', counterfactuals: [], reason })).toMatch(
      /^Applicant a-0042 was rejected \(score 0.41, band C\). For the target A: nothing/,
    );
  });
});
