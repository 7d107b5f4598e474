/** Random parameters of additive models: bins, categories, pairs and missing values over features of all kinds. */
import type { FeatureDocument } from '../../src/documents/model-document.js';
import type { Dice } from './dice.js';
import type { FamilyDraw } from './random-models.js';

type Score = number | number[];

const numbers = (count: number): FeatureDocument[] =>
  Array.from({ length: count }, (_, i) => ({ name: `f${i}`, type: 'continuous' }));

export function randomAdditive(
  dice: Dice,
  inputs: number,
  features: readonly FeatureDocument[] = numbers(inputs),
): FamilyDraw {
  const kind = dice.pick([
    'points',
    'cut-off',
    'odds',
    'logit',
    'logit',
    'several',
    'several',
    'identity',
    'exp',
  ] as const);
  const classes = { points: 2, 'cut-off': 2, odds: 2, logit: 2, several: dice.integer(2, 4), identity: 0, exp: 0 }[
    kind
  ];
  const link = { points: 'identity', 'cut-off': 'identity', odds: 'logit', several: 'softmax' }[kind as string] ?? kind;
  const number = () => dice.pick([dice.normal(), dice.integer(-2, 2)]);
  const score = (): Score => (kind === 'several' ? dice.vector(classes, number) : number());
  const mains = features.filter(() => dice.chance(0.85)).map((feature) => randomMain(dice, feature, score));
  const pair =
    features.length > 1 && dice.chance(0.6) ? [randomPair(dice, dice.shuffle(features).slice(0, 2), score)] : [];
  const terms = [...mains, ...pair];
  const threshold = {
    'cut-off': { threshold: dice.normal() },
    odds: {
      threshold: dice.pick([dice.normal(), dice.integer(-1, 1)]),
      odds: { points: dice.normal(), odds: dice.between(0.5, 3), double: dice.between(0.3, 3) },
    },
    logit: dice.pick([{}, { threshold: dice.between(0.2, 0.8) }]),
  };
  const parameters = {
    intercept: score(),
    terms: terms.length ? terms : [randomMain(dice, features[0], score)],
    link,
    ...threshold[kind as 'logit'],
  };
  return { parameters, classes };
}

const randomCuts = (dice: Dice): number[] =>
  [...new Set(dice.vector(dice.integer(0, 5), () => dice.pick([dice.normal(), dice.integer(-2, 2)])))].sort(
    (a, b) => a - b,
  );

const namesOf = (feature: FeatureDocument): string[] | null =>
  feature.type === 'categorical' ? [...feature.categories] : feature.type === 'boolean' ? ['true', 'false'] : null;

function randomMain(dice: Dice, feature: FeatureDocument, score: () => Score) {
  const names = namesOf(feature);
  const missing = dice.chance(0.6) ? { missing: score() } : {};
  if (names) {
    const named = names.filter(() => dice.chance(0.7));
    const other = named.length < names.length || dice.chance(0.2) ? { other: score() } : {};
    return {
      feature: feature.name,
      categories: Object.fromEntries(named.map((name) => [name, score()])),
      ...other,
      ...missing,
    };
  }
  const cuts = randomCuts(dice);
  const comparison = dice.pick([{}, { comparison: '<' }, { comparison: '<=' }]);
  return { feature: feature.name, cuts, values: [0, ...cuts].map(score), ...comparison, ...missing };
}

function randomPair(dice: Dice, features: readonly FeatureDocument[], score: () => Score) {
  const axes = features.map((feature) => {
    const names = namesOf(feature);
    const missing = dice.chance(0.6) ? { missing: true } : {};
    if (!names) return { cuts: randomCuts(dice), ...missing };
    const named = names.filter(() => dice.chance(0.7));
    return { categories: named, ...(named.length < names.length && { other: true }), ...missing };
  });
  const sizes = axes.map(
    (axis) =>
      ('cuts' in axis ? axis.cuts.length + 1 : axis.categories.length) + +('other' in axis) + +('missing' in axis),
  );
  const values = Array.from({ length: sizes[0] }, () => Array.from({ length: sizes[1] }, score));
  return { features: features.map(({ name }) => name), axes, values };
}
