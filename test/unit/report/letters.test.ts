/** Letters: every status in every language, and never more than was proved. */
import { describe, expect, it } from 'vitest';
import type { Language } from '../../../src/documents/labels/label-document.js';
import type { Proof, Reason, ResultDocument } from '../../../src/documents/result-document.js';
import { regressionModel } from '../../support/documents.js';
import { type Asked, flat, letterOf, loanModel, type Question, resultOf } from '../../support/letters.js';

const LANGUAGES: readonly Language[] = ['en', 'de', 'fr'];
const texts = (result: ResultDocument, asked: Asked = {}) =>
  LANGUAGES.map((language) => flat(letterOf(result, { ...asked, language }).text));
const write = async (question: Question, asked: Asked = {}) =>
  flat(letterOf(await resultOf(question), { policy: question.policy, ...asked }).text);

describe('a threshold by segment', () => {
  it('decides, whatever score is the highest', async () => {
    const decision = { threshold: 0.6, thresholdBy: 'housingKind', thresholds: { rent: 0.4 } };
    const question = { model: { ...loanModel(), decision }, features: { incomeTotal: 4000 } };
    for (const target of ['approved', 'rejected'])
      expect(await write({ ...question, target }, { model: question.model })).not.toContain('highest score');
  });
});

describe('a range of numbers without decimals', () => {
  const [income] = loanModel().features;
  const model = {
    ...loanModel(),
    features: [{ ...income, decimals: undefined, unit: 'EUR' }, ...loanModel().features.slice(1)],
    parameters: { ...loanModel().parameters, weights: [1e-7, -0.002, 0.5, 0.5, 0, -0.5] },
  };
  const fixed = Object.fromEntries(
    ['debtTotal', 'isGuaranteed', 'housingKind'].map((name) => [name, { change: 'never' }]),
  );
  const told = async (rule: object) => {
    const policy = { region: true, features: { ...fixed, incomeTotal: rule } };
    const text = await write({ model, policy, features: { incomeTotal: 2000.11 } }, { model });
    return /Monthly income: (.*?) \(currently/.exec(text)![1];
  };

  it('holds the example of the letter', async () => {
    expect(await told({ max: 40000000.5 })).toBe('between 38,054,651.0811197 and 40,000,000 EUR');
  });

  it('ends on the steps of the policy', async () => {
    expect(await told({ step: 0.37, max: 40000000 })).toBe(
      'between 38,054,651.22 and 39,999,999.85 EUR, in steps of 0.37 EUR',
    );
  });
});

describe('a letter with a change', () => {
  it('tells the decision, the score, the threshold, the change, its proof and the details in each language', async () => {
    const [en, de, fr] = texts(await resultOf());
    for (const sentence of [
      'The result is “rejected”.',
      'Your score for “approved” is 0.1978. The threshold for “approved” is 0.6000.',
      'The following changes together would have led to the result “approved”:',
      '- Monthly income: 2,800 EUR per month instead of 2,000 EUR per month',
      '- Guarantor: yes instead of no',
      '- Housing: own home instead of rented home',
      'no smaller permitted change would have been enough. This is proved.',
      'Monthly income 2,000 EUR per month',
      'Monthly debt 200 EUR',
    ])
      expect(en).toContain(sentence);
    for (const sentence of [
      'Das Ergebnis lautet „abgelehnt“.',
      'Ihr Punktwert für „genehmigt“ beträgt 0,1978. Die Schwelle für „genehmigt“ liegt bei 0,6000.',
      'Die folgenden Änderungen zusammen hätten zum Ergebnis „genehmigt“ geführt:',
      '- Bürgschaft: ja statt nein',
      '- Wohnsituation: Eigentum statt Miete',
      'hätte keine kleinere zulässige Änderung ausgereicht. Das ist bewiesen.',
      'Monatliches Einkommen 2.000 EUR pro Monat',
    ])
      expect(de).toContain(sentence);
    for (const sentence of [
      'Le résultat est « refusé ».',
      'Votre score pour « accordé » est de 0,1978. Le seuil pour « accordé » est de 0,6000.',
      'Les changements suivants, ensemble, auraient conduit au résultat « accordé » :',
      '- Caution : oui au lieu de non',
      '- Logement : propriétaire au lieu de locataire',
      'aucun changement autorisé plus petit n’aurait suffi. Cela est prouvé.',
      'Revenu mensuel 2 000 EUR par mois',
    ])
      expect(fr).toContain(sentence);
  });

  it('claims no more than the proof', async () => {
    const result = await resultOf();
    const withProof = (proof: Proof) => {
      const [first] = result.counterfactuals;
      return texts({ ...result, counterfactuals: [{ ...first, proof }] });
    };
    const heuristic = withProof({ kind: 'heuristic', lowerBound: null, gap: null });
    expect(heuristic[0]).toContain('This is the smallest change we know of. A smaller one may exist.');
    expect(heuristic[1]).toContain(
      'Das ist die kleinste Änderung, die wir kennen. Möglicherweise gibt es eine kleinere.',
    );
    expect(heuristic[2]).toContain('C’est le plus petit changement que nous connaissions.');
    const gap = withProof({ kind: 'gap', lowerBound: 1, gap: 0.1201 });
    expect(gap[0]).toContain('Measured by our rules, it would be at most 13% smaller. This is proved.');
    expect(gap[1]).toContain('Gemessen nach unseren Regeln wäre sie höchstens um 13 % kleiner.');
    expect(gap[2]).toContain('plus petit de 13 % au maximum');
    const open = withProof({ kind: 'gap', lowerBound: 0, gap: 1 });
    expect(open[0]).toContain('A smaller one may exist.');
    for (const text of [...heuristic, ...gap, ...open])
      expect(text).not.toMatch(/(no smaller|keine kleinere|aucun changement autorisé plus petit)/);
  });

  it('tells ranges where a region is known, with the steps of the policy', async () => {
    const policy = {
      region: true,
      features: {
        incomeTotal: { step: 50 },
        isGuaranteed: { change: 'never' },
        housingKind: { change: 'never' },
      },
    };
    const [en, de, fr] = texts(await resultOf({ policy }), { policy });
    expect(en).toMatch(/- Monthly debt: at most \d+ EUR \(currently 200 EUR\)/);
    expect(en).toMatch(
      /- Monthly income: at least [\d,]+ EUR per month, in steps of 50 EUR per month \(currently 2,000 EUR per month\)/,
    );
    expect(en).toContain(
      'Every permitted combination of values in these ranges would have been enough. This is proved.',
    );
    expect(de).toMatch(/- Monatliche Raten: höchstens \d+ EUR \(derzeit 200 EUR\)/);
    expect(de).toMatch(/mindestens [\d.]+ EUR pro Monat, in Schritten von 50 EUR pro Monat/);
    expect(fr).toMatch(/- Dettes mensuelles : au plus \d+ EUR \(actuellement 200 EUR\)/);
    expect(fr).toMatch(/au moins [\d ]+ EUR par mois, par paliers de 50 EUR par mois/);
  });

  it('counts as ranges only those with more than one value, and shows ends that the policy sets', async () => {
    const policy = {
      region: true,
      features: { incomeTotal: { change: 'increase', max: 9000 }, debtTotal: { change: 'never' } },
    };
    const text = await write({ policy });
    expect(text).toMatch(/- Monthly income: between [\d,]+ and 9,000 EUR per month \(currently/);
    expect(text).toContain('- Guarantor: yes instead of no');
    expect(text).toContain('Every permitted value in this range would have been enough. This is proved.');
    expect(text).toMatch(/For example, monthly income: [\d,]+ EUR per month\. Your score would then have been 0\.60/);
  });

  it('lists further answers without a claim about their size', async () => {
    const policy = { count: 3 };
    const { text, letter } = letterOf(await resultOf({ policy }), { policy });
    expect(letter.sections.others!.blocks.filter(({ kind }) => kind === 'subheading')).toHaveLength(2);
    const [, others] = flat(text).split('Other ways');
    expect(others).toContain('Option 2 The following');
    expect(others).toContain('would also have led to the result “approved”:');
    expect(others).toContain('Option 3');
    expect(others.split('The details we used')[0]).not.toMatch(/\bproved\b/);
  });

  it('has a part for each lever, named by its details', async () => {
    const policy = {
      levers: { earnings: ['incomeTotal'], home: ['housingKind'], debt: ['debtTotal', 'isGuaranteed'] },
    };
    const result = await resultOf({ policy });
    const [en, de, fr] = texts(result, { policy });
    expect(en).toContain('If only these details change: monthly income The following change would have led');
    expect(en).toContain('no smaller permitted change of these details alone would have been enough');
    expect(en).toContain(
      'If only these details change: housing No permitted change would have been enough here. This is proved. If only',
    );
    expect(en).not.toContain('Only these details may change');
    expect(de).toContain('Wenn sich nur diese Angaben ändern: monatliche Raten und Bürgschaft');
    expect(fr).toContain('Si seules ces informations changent : dettes mensuelles et caution');
    expect(flat(letterOf(result, { policy: null }).text)).toContain('Option “earnings”');
  });

  it('tells the steps of a path, and that a smaller change may exist', async () => {
    const result = await resultOf();
    const [answer] = result.counterfactuals;
    const [first, second] = answer.changes.slice(-2).map((change) => ({
      ...{ sample: 0, features: answer.features, prediction: 'approved', score: 0.7, cost: 1 },
      changes: [change],
    }));
    const path = { length: 2, steps: [first, second] };
    const proof = { kind: 'heuristic', lowerBound: null, gap: null } as const;
    const [en, de, fr] = texts({ ...result, counterfactuals: [{ ...answer, proof, path }] });
    expect(en).toContain('One way to get there, step by step: 1. Guarantor: yes instead of no 2. Housing: own home');
    expect(en).toContain('This change would have been enough. A smaller one may exist.');
    expect(de).toContain('Ein möglicher Weg dorthin, Schritt für Schritt: 1. Bürgschaft: ja statt nein');
    expect(fr).toContain('Un chemin possible, étape par étape : 1. Caution : oui au lieu de non');
  });

  it('tells a value that was not given', async () => {
    const result = await resultOf();
    const [answer] = result.counterfactuals;
    const changes = [{ feature: 'debtTotal', from: null, to: 100 }];
    const features = { ...result.factual!.features, debtTotal: null };
    const [en, de, fr] = texts({
      ...result,
      factual: { ...result.factual!, features },
      counterfactuals: [{ ...answer, changes }],
    });
    expect(en).toContain('- Monthly debt: 100 EUR (not given so far)');
    expect(en).toContain('Monthly debt not given');
    expect(de).toContain('Monatliche Raten keine Angabe');
    expect(fr).toContain('Dettes mensuelles non renseigné');
  });
});

describe('a letter without a change', () => {
  it('says that nothing has to change where the target is reached', async () => {
    const result = await resultOf({ features: { incomeTotal: 9000 } });
    const [en, de, fr] = texts(result);
    expect(en).toContain('The result is “approved”.');
    expect(en).toContain('Nothing has to change.');
    expect(de).toContain('Es muss sich nichts ändern.');
    expect(fr).toContain('Rien n’a besoin de changer.');
    expect(letterOf(result).letter.sections.explanation).toBeUndefined();
    expect(letterOf(result).html).toContain('class="verdict yes"');
  });

  const strict = {
    features: {
      incomeTotal: { change: 'increase', maxIncrease: 100 },
      debtTotal: { change: 'never' },
      isGuaranteed: { change: 'decrease' },
      housingKind: { allow: ['free'] },
    },
  };

  it('tells the rules that block in words, with their numbers, and the rule without which a change would do', async () => {
    const result = await resultOf({ policy: strict });
    expect(result.status).toBe('infeasible');
    const [en, de, fr] = texts(result, { policy: strict });
    expect(en).toContain('No change that our rules permit would have led to the result “approved”. This is proved.');
    expect(en).toContain('This rule is the reason:');
    expect(en).toContain('- Monthly income: may increase by at most 100 EUR per month');
    expect(en).toContain(
      'Without the rule “Monthly income: may increase by at most 100 EUR per month”, this change would have been enough:',
    );
    expect(de).toContain('- Monatliches Einkommen: der Anstieg ist auf 100 EUR pro Monat begrenzt');
    expect(de).toContain('Diese Regel ist der Grund dafür:');
    expect(fr).toContain('- Revenu mensuel : la hausse est limitée à 100 EUR par mois');
    for (const text of [en, de, fr]) expect(text).not.toMatch(/features\.|maxIncrease/);
    const [, deUnknown] = texts(result, { policy: null });
    expect(deUnknown).toContain('- Monatliches Einkommen: nur Änderungen in bestimmten Grenzen sind zulässig');
  });

  const infeasible = async (reason: Partial<Reason>): Promise<ResultDocument> => {
    const result = await resultOf({ policy: strict });
    return { ...result, reason: { code: 'infeasible', message: 'features.incomeTotal.max blocks', ...reason } };
  };

  it('knows every kind of entry', async () => {
    const policy = {
      features: {
        incomeTotal: { change: 'increase', min: 100, max: 9000, maxIncrease: 5, maxDecrease: 6, step: 7 },
        debtTotal: { change: 'never' },
        isGuaranteed: { change: 'increase', allow: [true] },
        housingKind: { allow: ['own', 'rent'] },
      },
      constraints: ['debtTotal <= 0.5 * incomeTotal', 'debtTotal >= 100', 'isGuaranteed implies housingKind = own'],
      maxChanges: 2,
      margin: 0.1,
      levers: { home: ['housingKind', 'debtTotal'] },
    };
    const keys = ['change', 'min', 'max', 'maxIncrease', 'maxDecrease', 'step'];
    const blocking = [
      ...keys.map((key) => `features.incomeTotal.${key}`),
      ...[
        'features.debtTotal.change',
        'features.isGuaranteed.change',
        'features.isGuaranteed.allow',
        'features.housingKind.allow',
      ],
      ...['levers.home', 'constraints[0]', 'constraints[1]', 'constraints[2]', 'maxChanges', 'margin', 'plausibility'],
    ];
    const result = await infeasible({ blocking, minimal: 'undetermined', relaxation: 'undetermined' });
    const rules = (asked: Asked) =>
      letterOf(result, asked)
        .letter.sections.explanation!.blocks.flatMap((block) => (block.kind === 'list' ? block.items : []))
        .map(flat);
    expect(rules({ policy, language: 'en' })).toEqual([
      'Monthly income: may only increase',
      'Monthly income: at least 100 EUR per month',
      'Monthly income: at most 9,000 EUR per month',
      'Monthly income: may increase by at most 5 EUR per month',
      'Monthly income: may decrease by at most 6 EUR per month',
      'Monthly income: may change only in steps of 7 EUR per month',
      'Monthly debt: no change is considered',
      'Guarantor: may only change from no to yes',
      'Guarantor: may change only to “yes”',
      'Housing: may change only to “own home” or “rented home”',
      'Only these details may change: housing and monthly debt',
      'These details have to fit together: monthly debt and monthly income',
      'Monthly debt: a fixed condition applies',
      'These details have to fit together: guarantor and housing',
      'At most 2 details may change at the same time',
      'The threshold has to be passed by a safety margin',
      'The details have to resemble those of real cases',
    ]);
    for (const language of LANGUAGES) {
      expect(rules({ policy, language })).toHaveLength(17);
      expect(new Set(rules({ policy: null, language })).size).toBe(rules({ policy: null, language }).length);
    }
  });

  it('says what is undetermined, what does not help, and what would not have to change', async () => {
    const blocking = ['features.incomeTotal.max', 'maxChanges'];
    const of = async (relaxation: Reason['relaxation']) =>
      texts(await infeasible({ blocking, minimal: true, relaxation }));
    expect((await of('undetermined'))[0]).toContain('We could not determine whether dropping a single one');
    expect((await of(null))[1]).toContain('hätte der Verzicht auf eine einzelne unserer Regeln nicht ausgereicht.');
    const proof = { kind: 'optimal', lowerBound: 0, gap: 0 } as const;
    const nothing = await of({ entry: 'margin', cost: 0, changes: [], proof });
    expect(nothing[2]).toContain(
      'Sans la règle « Le seuil doit être dépassé avec une marge de sécurité », aucun changement n’aurait été nécessaire.',
    );
  });

  it('names missing details where no rule is to blame', async () => {
    const result = await infeasible({ blocking: [], minimal: true, relaxation: null });
    expect(texts(result)[0]).toContain('No details that the procedure accepts lead to the result “approved”.');
    const features = { ...result.factual!.features, debtTotal: null };
    const [en, de] = texts({ ...result, factual: { ...result.factual!, features } });
    expect(en).toContain('Some details are missing: monthly debt. With these details the result may be different.');
    expect(de).toContain('Es fehlen Angaben: monatliche Raten.');
  });

  it('does not say that there is no change where none was found', async () => {
    const result = await resultOf();
    const reason = { code: 'effort', message: 'no answer was found within the effort; an answer may exist' };
    const [en, de, fr] = texts({ ...result, status: 'not-found', counterfactuals: [], reason });
    expect(en).toContain(
      'We found no change that would have led to the result “approved”. This does not mean that there is none.',
    );
    expect(de).toContain('Das bedeutet nicht, dass es keine gibt.');
    expect(fr).toContain('Cela ne signifie pas qu’il n’en existe aucun.');
    for (const text of [en, de, fr]) expect(text).not.toMatch(/\bproved\b|bewiesen|prouvé|effort/);
  });
});

describe('targets', () => {
  it('are named: several classes, intervals of scores, first class', async () => {
    const listed = await write({ target: ['approved', 'rejected'], features: { incomeTotal: 2000 } });
    expect(listed).toContain('Nothing has to change.');
    const interval = await write({ target: { from: 0.8, class: 'approved' } });
    expect(interval).toContain(
      'For the required result, the assessment would have had to lead to a score for “approved” of at least 0.8.',
    );
    const [, de, fr] = texts(await resultOf({ target: { from: 0.7, to: 0.9 } }));
    expect(de).toContain('zu einem Punktwert für „genehmigt“ von 0,7 bis 0,9 führen müssen');
    expect(fr).toContain('aurait dû conduire à un score pour « accordé » entre 0,7 et 0,9');
    const backwards = await write({ target: 'rejected', features: { incomeTotal: 9000 }, policy: { features: {} } });
    expect(backwards).toContain('The threshold for “rejected” is 0.4000.');
  });

  it('of a list tell the class of the answer in place of a score', async () => {
    const model = {
      ...{ schema: 'elsewise.model/v1', name: 'three', family: 'softmax-regression', classes: ['no', 'maybe', 'sure'] },
      features: [{ name: 'points', type: 'continuous' }],
      parameters: { weights: [[-1], [0], [1]], bias: [0, 0, -1] },
    };
    const policy = { cost: undefined, features: {}, target: ['maybe', 'sure'] };
    const result = await resultOf({ model, policy, features: { points: -3 } });
    const { text } = letterOf(result, { model, policy });
    expect(flat(text)).toContain('would have had to lead to the result “maybe” or “sure”.');
    expect(flat(text)).toMatch(/The result would then have been “(maybe|sure)”\./);
    const one = await resultOf({ model, policy: { ...policy, target: 'sure' }, features: { points: -3 } });
    expect(flat(letterOf(one, { model, policy }).text)).toContain('The result with the highest score applies.');
  });

  it('of a regressor are values', async () => {
    const model = regressionModel();
    const policy = { cost: undefined, features: {}, target: { from: 12 } };
    const asked = { model, policy };
    const of = async (target: unknown) => {
      const result = await resultOf({ model, policy, features: { x: 1, z: 0 }, target });
      return LANGUAGES.map((language) => flat(letterOf(result, { ...asked, language }).text));
    };
    const [en, de, fr] = await of({ from: 12 });
    expect(en).toContain('The result is the value 3.00.');
    expect(en).toContain('to lead to a value of at least 12.');
    expect(en).toContain('The value would then have been 12.00.');
    expect(en).not.toContain('score');
    expect(de).toContain('zu einem Wert von mindestens 12 führen müssen');
    expect(fr).toContain('à une valeur d’au moins 12');
    expect((await of({ value: 0.3, tolerance: 0.1 }))[0]).toContain('to a value of between 0.2 and 0.4');
    expect((await of(7.5))[2]).toContain('à une valeur de 7,5');
    expect((await of({ to: -2 }))[1]).toContain('zu einem Wert von höchstens -2');
  });
});

describe('numbers', () => {
  it('are shown exactly, and scores with as many digits as tell them apart', async () => {
    const result = await resultOf();
    const [answer] = result.counterfactuals;
    const changes = [{ feature: 'incomeTotal', from: 2000, to: 0.30000000000000004 }];
    const close = {
      ...result,
      factual: { ...result.factual!, score: 0.59996 },
      counterfactuals: [{ ...answer, changes, score: 0.6 }],
    };
    const [en, de] = texts(close);
    expect(en).toContain('0.30000000000000004 EUR per month instead of');
    expect(de).toContain('0,30000000000000004');
    expect(en).toContain('Your score for “approved” is 0.59996. The threshold for “approved” is 0.60000.');
  });

  it('round ends of ranges into the range', async () => {
    const result = await resultOf();
    const [answer] = result.counterfactuals;
    const region = {
      features: { incomeTotal: { from: 2599.00000004 }, debtTotal: { to: 0.39999999 } },
      proof: { kind: 'proved' as const, maximal: true },
    };
    const changes = [
      { feature: 'incomeTotal', from: 2000, to: 2600 },
      { feature: 'debtTotal', from: 200, to: 0 },
    ];
    const proof = { kind: 'heuristic', lowerBound: null, gap: null } as const;
    const text = flat(
      letterOf({ ...result, counterfactuals: [{ ...answer, changes, region, proof }] }, { policy: null }).text,
    );
    expect(text).toContain('at least 2,599.01 EUR per month');
    expect(text).toContain('at most 0.399999 EUR');
  });
});

describe('the sender', () => {
  it('is named with subject, contact and dates in the format of the language', async () => {
    const details = {
      ...{ subject: 'Your loan', sender: 'Bank & Sons', contact: 'Ms Adeyemi, 555 0100' },
      ...{ date: '2026-12-01', validUntil: '2027-03-31' },
    };
    const [en, de, fr] = texts(await resultOf(), { details });
    expect(en).toContain('Bank & Sons 1 December 2026 Your loan');
    expect(en).toContain('Please contact: Ms Adeyemi, 555 0100');
    expect(en).toContain('This information holds until 31 March 2027,');
    expect(de).toContain('Diese Auskunft gilt bis zum 31. März 2027,');
    expect(fr).toContain('jusqu’au 31 mars 2027,');
  });

  it('may stay open: the letter still says whom to ask, and that later results may differ', async () => {
    const [en, de, fr] = texts(await resultOf());
    expect(en).toContain('Please contact the office that sent you this letter.');
    expect(de).toContain('Spätere Änderungen Ihrer Angaben oder unserer Regeln können');
    expect(fr).toContain('Veuillez vous adresser au service qui vous a envoyé ce courrier.');
  });
});

describe('names', () => {
  it('of a document of labels win over the model document, language before default', async () => {
    const labels = {
      schema: 'elsewise.labels/v1' as const,
      features: { debtTotal: { label: 'loan payments' }, isGuaranteed: { translations: { de: { label: 'Bürge' } } } },
      classLabels: { rejected: 'not granted' },
    };
    const [en, de] = texts(await resultOf(), { labels });
    expect(en).toContain('Loan payments 200 EUR');
    expect(en).toContain('The result is “not granted”.');
    expect(de).toContain('Bürge: ja statt nein');
  });

  it('fall back to the names of the model', async () => {
    const model = loanModel();
    const bare = {
      ...model,
      translations: undefined,
      features: model.features.map(({ label: _, translations: __, ...rest }) => rest),
    };
    const text = flat(letterOf(await resultOf({ model: bare }), { model: bare, language: 'de' }).text);
    expect(text).toContain('Income total 2.000');
    expect(text).toContain('„rejected“');
  });
});
