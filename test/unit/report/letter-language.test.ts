/** Grammar of letters: forms of units, elision, spaces, and scores that look like what they are. */
import { describe, expect, it } from 'vitest';
import type { FeatureLabels, Language } from '../../../src/documents/labels/label-document.js';
import type { Reason, ResultDocument } from '../../../src/documents/result-document.js';
import { withDe } from '../../../src/report/letters/french-elision.js';
import { type Asked, flat, letterOf, resultOf } from '../../support/letters.js';

const LANGUAGES: readonly Language[] = ['en', 'de', 'fr'];
const texts = (result: ResultDocument, asked: Asked = {}) =>
  LANGUAGES.map((language) => flat(letterOf(result, { ...asked, language }).text));

describe('units', () => {
  /** The income counted in another unit. */
  const labelled = (names: FeatureLabels) =>
    ({ schema: 'elsewise.labels/v1', features: { incomeTotal: names } }) as const;
  const months = labelled({
    translations: { en: { unit: 'months' }, de: { unit: 'Monate' }, fr: { unit: 'mois' } },
  });
  const years = labelled({ translations: { en: { unit: 'years' }, de: { unit: 'Jahre' }, fr: { unit: 'ans' } } });

  async function changed(from: number, to: number): Promise<ResultDocument> {
    const result = await resultOf();
    const [answer] = result.counterfactuals;
    return { ...result, counterfactuals: [{ ...answer, changes: [{ feature: 'incomeTotal', from, to }] }] };
  }

  it('have the form of their number', async () => {
    const [en, de, fr] = texts(await changed(0, 1), { labels: months });
    expect(en).toContain('1 month instead of 0 months');
    expect(de).toContain('1 Monat statt 0 Monate');
    expect(fr).toContain('1 mois au lieu de 0 mois');
    const [enYears, deYears, frYears] = texts(await changed(2, 1), { labels: years });
    expect(enYears).toContain('1 year instead of 2 years');
    expect(deYears).toContain('1 Jahr statt 2 Jahre');
    expect(frYears).toContain('1 an au lieu de 2 ans');
  });

  it('have the German dative after "von"', async () => {
    const policy = { features: { incomeTotal: { change: 'increase', step: 3 } } };
    const result = await resultOf({ policy: { ...policy, region: true } });
    expect(texts(result, { policy, labels: months })[1]).toContain('Monate, in Schritten von 3 Monaten (derzeit');
    const reason: Reason = { code: 'infeasible', message: '', blocking: ['features.incomeTotal.step'], minimal: true };
    const blocked: ResultDocument = { ...result, status: 'infeasible', counterfactuals: [], reason };
    expect(texts(blocked, { policy, labels: months })[1]).toContain('nur Änderungen in Schritten von 3 Monaten sind');
  });

  it('may give their own forms', async () => {
    const unit = { one: 'Punkt', other: 'Punkte', dative: 'Punkten' };
    const labels = labelled({ unit: { one: 'point', other: 'points' }, translations: { de: { unit } } });
    const policy = { features: { incomeTotal: { step: 5 } }, region: true };
    expect(texts(await changed(1, 6), { labels })[1]).toContain('6 Punkte statt 1 Punkt');
    expect(texts(await resultOf({ policy }), { policy, labels })[1]).toContain('in Schritten von 5 Punkten');
    // The model's translation is more special than the labels of all languages.
    const [en] = texts(await changed(1, 6), { labels });
    expect(en).toContain('6 points instead of 1 point');
  });
});

describe('French', () => {
  it.each([
    ['aucune', 'd’aucune'],
    ['emploi', 'd’emploi'],
    ['Étudiant', 'd’Étudiant'],
    ['œuvre', 'd’œuvre'],
    ['hébergé', 'd’hébergé'],
    ['homme', 'd’homme'],
    ['oui', 'de oui'],
    ['non', 'de non'],
    ['onze', 'de onze'],
    ['haut', 'de haut'],
    ['hors zone', 'de hors zone'],
    ['8 ans', 'de 8 ans'],
    ['au moins 3', 'd’au moins 3'],
  ])('elides before %s', (text, expected) => {
    expect(withDe(text)).toBe(expected);
  });

  it('has elision in changes and no-break spaces before a semicolon', async () => {
    const result = await resultOf();
    const [answer] = result.counterfactuals;
    const ranges = { incomeTotal: { from: 2600 }, debtTotal: { to: 90 } };
    const region = { features: ranges, proof: { kind: 'proved', maximal: true } } as const;
    const moved = [
      { feature: 'incomeTotal', from: 2000, to: 2600 },
      { feature: 'debtTotal', from: 200, to: 90 },
    ];
    const ranged = { ...result, counterfactuals: [{ ...answer, region, changes: moved }] };
    const { text, letter } = letterOf(ranged, { language: 'fr' });
    expect(flat(text)).toContain('Par exemple, revenu mensuel : 2 600 EUR par mois ; dettes mensuelles : 90 EUR.');
    expect(JSON.stringify(letter)).toContain('par mois\u00a0; dettes');
    const changes = [{ feature: 'housingKind', from: 'free', to: 'own' }];
    const other = { ...result, counterfactuals: [{ ...answer, changes }] };
    expect(flat(letterOf(other, { language: 'fr' }).text)).toContain('Logement : propriétaire au lieu d’hébergé');
  });
});

describe('the validity', () => {
  it('speaks of other details only where the letter names a change', async () => {
    const details = { validUntil: '2027-03-31' };
    const found = texts(await resultOf(), { details });
    const already = texts(await resultOf({ features: { incomeTotal: 9000 } }), { details });
    expect(found[0]).toContain('as long as your other details stay the same');
    expect(already[0]).toContain('as long as your details stay the same');
    expect(already[1]).toContain('solange Ihre Angaben gleich bleiben');
    expect(already[2]).toContain('tant que vos informations restent les mêmes');
  });
});

describe('scores', () => {
  const scored = async (own: number, after: number) => {
    const result = await resultOf();
    const counterfactuals = result.counterfactuals.map((answer) => ({ ...answer, score: after }));
    return texts({ ...result, factual: { ...result.factual!, score: own }, counterfactuals })[0];
  };

  it('near 0 and 1 do not look like 0 and 1', async () => {
    const text = await scored(0.00002, 0.99998);
    expect(text).toContain('is 0.00002. The threshold for “approved” is 0.60.');
    expect(text).toContain('would then have been 0.99998.');
    expect(await scored(0.25, 1)).toContain('would then have been 1.00.');
  });

  it('near the threshold do not look like the threshold', async () => {
    expect(await scored(0.5995, 0.7)).toContain('is 0.5995. The threshold for “approved” is 0.6000.');
  });
});
