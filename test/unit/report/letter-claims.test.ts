/** What a letter calls proved, and the rules that this depends on. `predict` accepts some changes that a policy does not. */
import { describe, expect, it } from 'vitest';
import type { Language } from '../../../src/documents/labels/label-document.js';
import type { CounterfactualDocument, Reason, ResultDocument } from '../../../src/documents/result-document.js';
import { type Asked, flat, letterOf, type Question, resultOf } from '../../support/letters.js';

const LANGUAGES: readonly Language[] = ['en', 'de', 'fr'];
const texts = (result: ResultDocument, asked: Asked = {}) =>
  LANGUAGES.map((language) => flat(letterOf(result, { ...asked, language }).text));
const write = async (question: Question, asked: Asked = {}) =>
  texts(await resultOf(question), { policy: question.policy, ...asked });

const MARGIN = { margin: 0.05 };
/** No change but one of the income: approved from 0.6 on at an income of 3806. */
const ONLY_INCOME = {
  incomeTotal: { change: 'increase', maxIncrease: 1806 },
  debtTotal: { change: 'never' },
  isGuaranteed: { change: 'never' },
  housingKind: { change: 'never' },
};

describe('a proved change', () => {
  it('names the margin of the policy before the claim', async () => {
    const [en, de, fr] = await write({ policy: MARGIN });
    expect(en).toContain(
      'Our rules also require a safety margin above the threshold. Measured by our rules and with this margin, no smaller permitted change would have been enough. This is proved.',
    );
    expect(de).toContain(
      'Unsere Regeln verlangen außerdem einen Sicherheitsabstand zur Schwelle. Gemessen nach unseren Regeln und mit diesem Abstand hätte keine kleinere zulässige Änderung ausgereicht. Das ist bewiesen.',
    );
    expect(fr).toContain(
      'Nos règles exigent en outre une marge de sécurité au-dessus du seuil. Selon la mesure fixée par nos règles et avec cette marge, aucun changement autorisé plus petit n’aurait suffi. Cela est prouvé.',
    );
  });

  it('is cheaper without the margin: the claim without the margin would be false', async () => {
    const [withMargin, without] = await Promise.all([resultOf({ policy: MARGIN }), resultOf()]);
    expect(without.counterfactuals[0].cost).toBeLessThan(withMargin.counterfactuals[0].cost);
    const bare = / Measured by our rules, no smaller/;
    expect((await write({ policy: MARGIN }))[0]).not.toMatch(bare);
    expect((await write({}))[0]).toMatch(bare);
  });

  it('names the margin for the changes of one lever, and for the bound of a gap', async () => {
    const policy = { ...MARGIN, levers: { earnings: ['incomeTotal'] } };
    expect((await write({ policy }))[0]).toContain(
      'Our rules also require a safety margin above the threshold. Measured by our rules and with this margin, no smaller permitted change of these details alone would have been enough.',
    );
    const result = await resultOf({ policy: MARGIN });
    const [first] = result.counterfactuals;
    const proof = { kind: 'gap', lowerBound: 1, gap: 0.12 } as const;
    const [en, de, fr] = texts({ ...result, counterfactuals: [{ ...first, proof }] }, { policy: MARGIN });
    expect(en).toContain(
      'Our rules also require a safety margin above the threshold. This is the smallest change we know of. A smaller one may exist. Measured by our rules and with this margin, it would be at most 12% smaller. This is proved.',
    );
    expect(de).toContain('Gemessen nach unseren Regeln und mit diesem Abstand wäre sie höchstens um 12 % kleiner.');
    expect(fr).toContain('et avec cette marge, il serait plus petit de 12 % au maximum. Cela est prouvé.');
  });

  it('without the policy claims no more than the rules, whatever they are', async () => {
    const [en, de, fr] = texts(await resultOf({ policy: MARGIN }), { policy: null });
    expect(en).toContain(
      'Our rules can require more than the threshold alone, such as a safety margin. Measured by our rules and with everything they require, no smaller permitted change would have been enough.',
    );
    expect(de).toContain(
      'Unsere Regeln können mehr verlangen als nur die Schwelle, etwa einen Sicherheitsabstand. Gemessen nach unseren Regeln und mit allem, was sie verlangen, hätte',
    );
    expect(fr).toContain('Nos règles peuvent exiger plus que le seuil, par exemple une marge de sécurité.');
  });

  const result = resultOf();
  it.each([
    [{ plausibility: { method: 'density', atLeast: 0.1 } }, 'Our rules also require that the details resemble'],
    [{ overlay: { features: { incomeTotal: { max: 3000 } } } }, 'Your own wishes count as rules here.'],
    [{ overlay: { difficulty: { incomeTotal: 2 } } }, 'Your own wishes count as rules here.'],
    [{ overlay: { maxChanges: 3 }, margin: 0.1 }, 'above the threshold. Your own wishes count as rules here.'],
  ])('names the conditions of the policy %j', async (policy, sentence) => {
    const [en, ...others] = texts(await result, { policy });
    expect(en).toContain(sentence);
    expect(en).toContain('Measured by our rules and under these conditions, no smaller permitted change');
    expect(others[0]).toContain('unter diesen Bedingungen hätte keine kleinere zulässige Änderung ausgereicht');
    expect(others[1]).toContain('dans ces conditions, aucun changement autorisé plus petit n’aurait suffi');
  });

  it.each([
    [
      { cost: { norm: 'l0' } },
      'Our rules measure a change by the number of details that change. Measured by our rules, no',
    ],
    [
      { plausibility: { method: 'density', weight: 1 } },
      'Our rules measure a change also by how closely the details resemble those of real cases. Measured by our rules, no',
    ],
  ])('names the measure of the policy %j', async (policy, sentence) => {
    expect(texts(await result, { policy })[0]).toContain(sentence);
  });

  it('names the default limits of numbers, which stand in no policy', async () => {
    const bounded = { ...(await result), defaults: { bounds: 'background' } } as ResultDocument;
    const [en, de, fr] = texts(bounded);
    expect(en).toContain('the number has to stay within the range of known cases. Measured by our rules and under');
    expect(de).toContain('muss die Zahl im Bereich der bekannten Fälle bleiben.');
    expect(fr).toContain('ce nombre doit rester dans l’intervalle des cas connus.');
  });

  it('repeats a target that a change can pass on the other side: "enough" would say too much', async () => {
    const target = { from: 0.61, to: 0.7 };
    const [en, de, fr] = texts(await resultOf({ target, policy: { region: true } }));
    const goal = 'to a score for “approved” of between 0.61 and 0.7';
    expect(en).toContain(`no smaller permitted change would have led ${goal}. This is proved.`);
    expect(en).toContain(`in these ranges would have led ${goal}. This is proved.`);
    expect(en).not.toContain('been enough');
    expect(de).toContain('von 0,61 bis 0,7 geführt. Das ist bewiesen.');
    expect(fr).toContain('n’aurait conduit à un score pour « accordé » entre 0,61 et 0,7. Cela est prouvé.');
  });
});

describe('a proof that no change helps', () => {
  it('names the margin where the margin blocks', async () => {
    const policy = { ...MARGIN, features: ONLY_INCOME };
    const result = await resultOf({ policy });
    expect([result.status, result.reason!.blocking]).toEqual(['infeasible', expect.arrayContaining(['margin'])]);
    expect((await resultOf({ policy: { features: ONLY_INCOME } })).status).toBe('found');
    for (const known of [policy, null]) {
      const [en, de, fr] = texts(result, { policy: known });
      expect(en).toContain(
        'No permitted change would have reached the threshold plus the safety margin that our rules require. This is proved.',
      );
      expect(de).toContain(
        'Keine zulässige Änderung hätte die Schwelle mit dem Sicherheitsabstand erreicht, den unsere Regeln verlangen.',
      );
      expect(fr).toContain('n’aurait atteint le seuil augmenté de la marge de sécurité exigée par nos règles.');
      expect(en).not.toContain('No change that our rules permit would have led');
    }
  });

  it('does not depend on a margin that does not block', async () => {
    const features = { ...ONLY_INCOME, incomeTotal: { change: 'increase', maxIncrease: 100 } };
    const policy = { ...MARGIN, features };
    const result = await resultOf({ policy });
    expect(result.reason!.blocking).not.toContain('margin');
    for (const known of [policy, null])
      expect(texts(result, { policy: known })[0]).toContain(
        'No change that our rules permit would have led to the result “approved”. This is proved.',
      );
  });

  it('names the margin for one lever, and conditions that are not known', async () => {
    const policy = { ...MARGIN, features: ONLY_INCOME, levers: { earnings: ['incomeTotal'] } };
    expect((await write({ policy }))[0]).toContain(
      'Here, no permitted change would have reached the threshold plus the safety margin that our rules require.',
    );
    const result = await resultOf({ policy: { ...MARGIN, features: ONLY_INCOME } });
    const open = { ...result, reason: undefined };
    expect(texts(open, { policy: null })[0]).toContain(
      'such as a safety margin. With everything they require, no change that our rules permit would have led',
    );
    const [en, de, fr] = texts(open, { policy: { ...MARGIN, overlay: { maxChanges: 1 } } });
    expect(en).toContain('Under these conditions, no change that our rules permit would have led');
    expect(de).toContain('Unter diesen Bedingungen hätte keine Änderung, die unsere Regeln zulassen, zum Ergebnis');
    expect(fr).toContain('Dans ces conditions, aucun changement autorisé par nos règles n’aurait conduit au résultat');
  });

  it('tells the margin with "dropping a single rule", because the other rules still apply', async () => {
    const result = await resultOf({ policy: { features: { ...ONLY_INCOME, incomeTotal: { change: 'never' } } } });
    const blocking = ['features.incomeTotal.change', 'features.debtTotal.change'];
    const reason: Reason = { code: 'infeasible', message: '', blocking, minimal: true, relaxation: null };
    const [en] = texts({ ...result, reason }, { policy: MARGIN });
    expect(en).toContain(
      'Our rules also require a safety margin above the threshold. As long as all the other rules apply, dropping a single one of our rules would not have been enough.',
    );
  });
});

describe('a decision that only lacks the margin', () => {
  const policy = { margin: 0.1, region: true };
  const person = { incomeTotal: 3850 };

  it('is told as such: the result itself is reached', async () => {
    const result = await resultOf({ policy, features: person });
    expect([result.status, result.factual!.prediction]).toEqual(['found', 'approved']);
    const [en, de, fr] = texts(result, { policy });
    expect(en).toContain('This result is reached, but not with the safety margin that our rules require.');
    expect(en).toContain('What would have reached the safety margin');
    expect(en).toContain('would have led to the result “approved” with the required safety margin:');
    expect(en).not.toContain('What would have changed the decision');
    expect(de).toContain('Dieses Ergebnis ist erreicht, aber nicht mit dem Sicherheitsabstand, den unsere Regeln');
    expect(fr).toContain('Ce résultat est atteint, mais sans la marge de sécurité exigée par nos règles.');
    expect(letterOf(result, { policy }).html).toContain('class="verdict yes"');
  });
});

/** The letter about an answer with another range of the income. */
async function withRange(
  range: { from?: number; to?: number },
  change: { from: number; to: number },
  more: Partial<CounterfactualDocument> = {},
  asked: Asked = {},
) {
  const result = await resultOf();
  const [answer] = result.counterfactuals;
  const region = { features: { incomeTotal: range }, proof: { kind: 'proved', maximal: true } } as const;
  const second = { ...answer, region, changes: [{ feature: 'incomeTotal', ...change }], ...more };
  const counterfactuals = more.proof ? [second] : [answer, second];
  return texts({ ...result, counterfactuals }, { policy: { features: {} }, ...asked });
}

describe('a range', () => {
  it.each([
    [
      'the step of the policy',
      { features: { incomeTotal: { step: 50 } } },
      'between 2,050 and 2,500 EUR per month, in',
    ],
    ['the decimals of the model', { features: {} }, 'between 2,001 and 2,500 EUR per month (currently 2,000'],
  ])('leaves out the present value by %s', async (_, policy, sentence) => {
    const [en] = await withRange({ from: 2000, to: 2500 }, { from: 2000, to: 2050 }, {}, { policy });
    expect(en).toContain(`Monthly income: ${sentence}`);
  });

  it('is open at the present value where every number is a value', async () => {
    const feature = { name: 'x', type: 'continuous', label: 'income' };
    const model = {
      ...{ schema: 'elsewise.model/v1', name: 'one', family: 'logistic-regression', classes: ['no', 'yes'] },
      features: [feature, { name: 'y', type: 'boolean' }],
      parameters: { weights: [0.01, 1], bias: -1.4 },
    };
    const policy = { target: 'yes', cost: undefined, features: { x: { maxIncrease: 500 } }, count: 2, region: true };
    const result = await resultOf({ model, policy, features: { x: 1, y: false } });
    const [answer] = result.counterfactuals;
    const of = (range: object, from: number, to: number) => {
      const region = { features: { x: range }, proof: { kind: 'proved', maximal: true } } as const;
      const second = { ...answer, region, changes: [{ feature: 'x', from, to }] };
      return texts({ ...result, counterfactuals: [answer, second] }, { model, policy });
    };
    const [en, de, fr] = of({ from: 1, to: 501 }, 1, 2);
    expect(en).toContain('Income: more than 1 and at most 501 (currently 1)');
    expect(de).toContain('Income: mehr als 1 und höchstens 501 (derzeit 1)');
    expect(fr).toContain('Income : plus de 1 et au plus 501 (actuellement 1)');
    expect(of({ from: 0.5 }, 1, 2)[0]).toContain('Income: more than 1 (currently 1)');
    expect(of({ from: -3, to: 9 }, 1, 0)[0]).toContain('Income: at least -3 and less than 1 (currently 1)');
    expect(of({ to: 9 }, 1, 0).map((text) => text.match(/Income ?: (\D+1 \(\D+ 1\))/)?.[1])).toEqual([
      'less than 1 (currently 1)',
      'weniger als 1 (derzeit 1)',
      'moins de 1 (actuellement 1)',
    ]);
  });

  it('of categories leaves out the present one', async () => {
    const result = await resultOf();
    const [answer] = result.counterfactuals;
    const of = (values: string[]) => {
      const region = { features: { housingKind: { in: values } }, proof: { kind: 'proved', maximal: true } } as const;
      const changes = [{ feature: 'housingKind', from: 'rent', to: 'own' }];
      return texts({ ...result, counterfactuals: [{ ...answer, region, changes }] })[0];
    };
    expect(of(['own', 'rent'])).toContain('Housing: own home instead of rented home All your');
    expect(of(['own', 'rent', 'free'])).toContain('Housing: own home or free of charge (currently rented home)');
  });

  it('tells no change that is smaller than the smallest', async () => {
    const proof = { kind: 'optimal', lowerBound: 1, gap: 0 } as const;
    const [en] = await withRange({ from: 2598, to: 9000 }, { from: 2000, to: 2600 }, { proof });
    expect(en).toContain('Monthly income: between 2,600 and 9,000 EUR per month');
    expect(en).toContain('no smaller permitted change');
    const [only] = await withRange({ from: 2598, to: 2600 }, { from: 2000, to: 2600 }, { proof });
    expect(only).toContain('Monthly income: 2,600 EUR per month instead of 2,000 EUR per month');
  });

  it('stays whole where nothing is proved, and the answer is not called the smallest', async () => {
    const proof = { kind: 'heuristic', lowerBound: null, gap: null } as const;
    const [en] = await withRange({ from: 2400, to: 9000 }, { from: 2000, to: 2600 }, { proof });
    expect(en).toContain('Monthly income: between 2,400 and 9,000 EUR per month');
    expect(en).toContain('This change would have been enough. A smaller one may exist.');
    expect(en).not.toContain('smallest');
  });
});

describe('rules without the policy', () => {
  it('say nothing that `never` or an empty list would make false', async () => {
    const result = await resultOf({ policy: { features: ONLY_INCOME } });
    const blocking = ['features.debtTotal.change', 'features.housingKind.allow', 'maxChanges'];
    const reason: Reason = { code: 'infeasible', message: '', blocking, minimal: true };
    const [en, de, fr] = texts({ ...result, status: 'infeasible', counterfactuals: [], reason }, { policy: null });
    expect(en).toContain('- Monthly debt: a rule limits changes of this detail');
    expect(en).toContain('- Housing: a rule limits changes of this detail');
    expect(en).toContain('- Only a limited number of details may change at the same time');
    expect(de).toContain('- Monatliche Raten: eine Regel begrenzt Änderungen dieser Angabe');
    expect(fr).toContain('- Dettes mensuelles : une règle limite les changements de cette information');
  });

  it('with the policy tell a limit that the policy does not have as that of known cases', async () => {
    const result = await resultOf({ policy: { features: ONLY_INCOME } });
    const reason: Reason = { code: 'infeasible', message: '', blocking: ['features.incomeTotal.max'], minimal: true };
    const [en] = texts({ ...result, status: 'infeasible', counterfactuals: [], reason });
    expect(en).toContain('- Monthly income: only values within the range of known cases are considered');
  });
});
