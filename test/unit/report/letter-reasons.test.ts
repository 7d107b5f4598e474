/** The reasons in letters: a sentence for each share and for each claim, and no claim that the result does not have. */
import { describe, expect, it } from 'vitest';
import type { Language } from '../../../src/documents/labels/label-document.js';
import type { ResultDocument } from '../../../src/documents/result-document.js';
import { flat, letterOf, loanModel, resultOf } from '../../support/letters.js';

const samples = [
  [3000, 0, true, 'own'],
  [2500, 400, false, 'rent'],
];
const model = { ...loanModel(), background: { samples } };
const policy = { reasons: { count: 3 }, unbounded: true };
const found = () => resultOf({ model, policy });
const text = (result: ResultDocument, language: Language, known: object | null = policy) =>
  flat(letterOf(result, { model, policy: known, language }).text);

describe('a letter with reasons', () => {
  it('tells them in each language, with labels and units', async () => {
    const result = await found();
    // Against the means: income -0.75, guarantor -0.25, housing -0.25; debt 0.
    for (const [language, sentences] of Object.entries({
      en: [
        'The main reasons',
        'Compared with the average of known cases, these details counted most against a different result:',
        'Monthly income: 2,000 EUR per month. This is 60% of everything that counted against a different result. A permitted change of this detail alone would have been enough. This is proved.',
        'Guarantor: no. This is 20% of everything that counted against a different result. No change of this detail alone that meets all our rules would have been enough. This is proved.',
      ],
      de: [
        'Die wichtigsten Gründe',
        'Im Vergleich mit dem Durchschnitt bekannter Fälle sprachen diese Angaben am stärksten gegen ein anderes Ergebnis:',
        'Monatliches Einkommen: 2.000 EUR pro Monat. Das sind 60 % von allem, was gegen ein anderes Ergebnis sprach. Eine zulässige Änderung allein dieser Angabe hätte ausgereicht. Das ist bewiesen.',
        'Keine Änderung allein dieser Angabe, die alle unsere Regeln einhält, hätte ausgereicht. Das ist bewiesen.',
      ],
      fr: [
        'Les principales raisons',
        'Par rapport à la moyenne des cas connus, ces informations ont le plus pesé contre un autre résultat :',
        'Un changement autorisé de cette seule information aurait suffi. Cela est prouvé.',
        'Aucun changement de cette seule information qui respecte toutes nos règles n’aurait suffi. Cela est prouvé.',
      ],
    }))
      for (const sentence of sentences) expect(text(result, language as Language)).toContain(sentence);
  });

  it('compares with nothing where the policy is not known, and says what was not determined', async () => {
    const result = await found();
    expect(text(result, 'en', null)).toContain('These details counted most against a different result:');
    const open = {
      ...result,
      reasons: result.reasons!.map((reason) => ({ ...reason, alone: 'undetermined' as const })),
    };
    for (const [language, sentence] of [
      ['en', 'We could not determine whether a change of this detail alone would have been enough.'],
      ['de', 'Wir konnten nicht klären, ob eine Änderung allein dieser Angabe ausgereicht hätte.'],
      ['fr', 'Nous n’avons pas pu établir si un changement de cette seule information aurait suffi.'],
    ] as const)
      expect(text(open, language)).toContain(sentence);
  });

  it('is silent without reasons, and where only the margin is missing', async () => {
    expect(text(await resultOf({ model }), 'en')).not.toContain('The main reasons');
    const near = { features: { incomeTotal: 3900, isGuaranteed: false }, policy: { ...policy, margin: 0.2 }, model };
    const result = await resultOf(near);
    expect(result.factual!.prediction).toBe('approved');
    expect(text(result, 'en', near.policy)).not.toContain('The main reasons');
  });

  it('escapes values in pages', async () => {
    const result = await found();
    const hostile = {
      ...result,
      reasons: [{ ...result.reasons![0], feature: '<b>x', value: '<script>alert(1)</script>' }],
    };
    const { html } = letterOf(hostile, { model, policy });
    expect(html).not.toContain('<script>alert');
    expect(html).toContain('&lt;script&gt;');
  });
});
