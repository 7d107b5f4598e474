/** The sentences of letters in French. A no-break space stands before a colon, before a semicolon and inside quotes. */
import type { ReasonsDocument } from '../../documents/policy-document.js';
import { withDe } from './french-elision.js';
import type { LetterWords, Under } from './letter-words.js';

const SPACE = '\u00a0';
const quote = (text: string): string => `«${SPACE}${text}${SPACE}»`;
const wouldHaveLed = (goal: string, count: number, also = ''): string =>
  count === 1
    ? `Le changement suivant aurait ${also}conduit ${goal}${SPACE}:`
    : `Les changements suivants, ensemble, auraient ${also}conduit ${goal}${SPACE}:`;
/** `un score d’au moins 0,6`, `un score entre 0,2 et 0,6`, `un score de 0,6` */
const of = (range: string): string => (range.startsWith('entre ') ? range : withDe(range));
const MEASURED: Readonly<Record<Under, string>> = {
  nothing: 'Selon la mesure fixée par nos règles,',
  margin: 'Selon la mesure fixée par nos règles et avec cette marge,',
  conditions: 'Selon la mesure fixée par nos règles et dans ces conditions,',
  everything: 'Selon la mesure fixée par nos règles et avec tout ce qu’elles exigent,',
};
const UNDER: Readonly<Record<Exclude<Under, 'nothing'>, string>> = {
  margin: 'Avec cette marge,',
  conditions: 'Dans ces conditions,',
  everything: 'Avec tout ce qu’elles exigent,',
};

const COMPARED: Readonly<Record<ReasonsDocument['reference'], string>> = {
  population: 'Par rapport à la moyenne des cas connus',
  accepted: 'Par rapport au cas connu le plus proche qui a le résultat en question',
  best: 'Par rapport à la meilleure valeur de chaque information',
};

export const FRENCH: LetterWords = {
  title: 'À propos de notre décision',
  greeting: 'Madame, Monsieur,',
  yes: 'oui',
  no: 'non',
  notGiven: 'non renseigné',
  semicolon: `${SPACE}; `,
  pair: (label, value) => `${label}${SPACE}: ${value}`,
  quote,
  headings: {
    decision: 'La décision',
    changes: 'Ce qui aurait changé la décision',
    margin: 'Ce qui aurait atteint la marge de sécurité',
    others: 'Autres possibilités',
    reasons: 'Les principales raisons',
    whyNot: 'Pourquoi nous n’indiquons aucun changement',
    data: 'Les informations que nous avons utilisées',
    review: 'Réexamen par une personne',
    validity: 'Durée de validité',
  },
  decision: {
    assessed: 'Nous avons évalué vos informations à l’aide d’une procédure automatisée.',
    result: (name) => `Le résultat est ${quote(name)}.`,
    value: (value) => `Le résultat est la valeur ${value}.`,
    scoreOf: (name, score) => `Votre score pour ${quote(name)} est de ${score}.`,
    threshold: (name, threshold) => `Le seuil pour ${quote(name)} est de ${threshold}.`,
    bandFrom: (name, from) => `La tranche ${quote(name)} commence à ${from}.`,
    band: (name) => `Votre score se situe dans la tranche ${quote(name)}.`,
    noBand: 'Votre score est inférieur à toutes les tranches.',
    highestWins: 'Le résultat ayant le score le plus élevé s’applique.',
    wanted: (goal) => `Pour le résultat requis, l’évaluation aurait dû conduire ${goal}.`,
    already: 'Le résultat en question est déjà atteint. Rien n’a besoin de changer.',
    withoutMargin: 'Ce résultat est atteint, mais sans la marge de sécurité exigée par nos règles.',
    now: 'votre score',
    needed: 'seuil',
    after: 'après le changement',
  },
  goal: {
    results: (names) => `au résultat ${names}`,
    scoreOf: (name, range) => `à un score pour ${quote(name)} ${of(range)}`,
    value: (range) => `à une valeur ${of(range)}`,
    band: (name) => `à la tranche ${quote(name)} ou à une meilleure`,
    withMargin: (goal) => `${goal} avec la marge de sécurité exigée`,
  },
  range: {
    atLeast: (value) => `au moins ${value}`,
    atMost: (value) => `au plus ${value}`,
    between: (low, high) => `entre ${low} et ${high}`,
    above: (low) => `plus de ${low}`,
    below: (high) => `moins de ${high}`,
    aboveUpTo: (low, high) => `plus de ${low} et au plus ${high}`,
    fromBelow: (low, high) => `au moins ${low} et moins de ${high}`,
    anything: 'toute valeur',
    inSteps: (step) => `, par paliers de ${step}`,
  },
  condition: {
    margin: (hasThreshold) =>
      `Nos règles exigent en outre une marge de sécurité${hasThreshold ? ' au-dessus du seuil' : ''}.`,
    plausible: 'Nos règles exigent en outre que les informations ressemblent à celles de cas réels.',
    background:
      'Lorsque nos règles ne fixent pas de limite pour un nombre, ce nombre doit rester dans l’intervalle des cas connus.',
    wishes: 'Vos propres souhaits comptent ici comme des règles.',
    counted: 'Nos règles mesurent un changement au nombre d’informations qui changent.',
    measured:
      'Nos règles tiennent aussi compte, dans cette mesure, de la ressemblance des informations avec celles de cas réels.',
    unknown: (hasThreshold) =>
      `Nos règles peuvent exiger plus que ${hasThreshold ? 'le seuil' : 'le résultat'}, par exemple une marge de sécurité.`,
  },
  change: {
    done: (goal) => (goal === undefined ? 'suffi' : `conduit ${goal}`),
    wouldHaveLed: (goal, count) => wouldHaveLed(goal, count),
    wouldAlsoHaveLed: (goal, count) => wouldHaveLed(goal, count, 'également '),
    instead: (to, from) => `${to} au lieu ${withDe(from)}`,
    within: (range, now) => `${range} (actuellement ${now})`,
    firstGiven: (to) => `${to} (non renseigné jusqu’ici)`,
    othersStay: 'Toutes vos autres informations resteraient inchangées.',
    allWithin: (count, done) =>
      count === 1
        ? `Chaque valeur autorisée ainsi indiquée aurait ${done}. Cela est prouvé.`
        : `Toute combinaison autorisée de valeurs dans ces intervalles aurait ${done}. Cela est prouvé.`,
    example: (values) => `Par exemple, ${values}.`,
    resultAfter: (name) => `Le résultat aurait alors été ${quote(name)}.`,
    scoreAfter: (score) => `Votre score aurait alors été de ${score}.`,
    bandAfter: (name) => `La tranche aurait alors été ${quote(name)}.`,
    towards: (goal) => `Ce qui aurait conduit ${goal}`,
    alreadyThere: 'Ceci est déjà atteint.',
    valueAfter: (value) => `La valeur aurait alors été de ${value}.`,
    proved: (under, done) =>
      `${MEASURED[under]} aucun changement autorisé plus petit n’aurait ${done}. Cela est prouvé.`,
    provedHere: (under, done) =>
      `${MEASURED[under]} aucun changement autorisé plus petit de ces seules informations n’aurait ${done}. Cela est prouvé.`,
    withinGap: (share, under) => `${MEASURED[under]} il serait plus petit de ${share} au maximum. Cela est prouvé.`,
    smallestKnown: 'C’est le plus petit changement que nous connaissions. Il en existe peut-être un plus petit.',
    enough: 'Ce changement aurait suffi. Il en existe peut-être un plus petit.',
    stepByStep: `Un chemin possible, étape par étape${SPACE}:`,
    step: (number) => `Étape ${number}`,
    option: (number) => `Possibilité ${number}`,
    onlyThese: (labels) => `Si seules ces informations changent${SPACE}: ${labels}`,
    namedOption: (name) => `Possibilité ${quote(name)}`,
  },
  whyNot: {
    proved: (goal, under) =>
      `${under === 'nothing' ? 'Aucun' : `${UNDER[under]} aucun`} changement autorisé par nos règles n’aurait conduit ${goal}. Cela est prouvé.`,
    provedHere: (under) =>
      `${under === 'nothing' ? 'Ici,' : UNDER[under]} aucun changement autorisé n’aurait suffi${under === 'nothing' ? '' : ' ici'}. Cela est prouvé.`,
    provedMargin:
      'Aucun changement autorisé n’aurait atteint le seuil augmenté de la marge de sécurité exigée par nos règles. Cela est prouvé.',
    provedMarginHere:
      'Ici, aucun changement autorisé n’aurait atteint le seuil augmenté de la marge de sécurité exigée par nos règles. Cela est prouvé.',
    notFound: (goal) =>
      `Nous n’avons trouvé aucun changement qui aurait conduit ${goal}. Cela ne signifie pas qu’il n’en existe aucun.`,
    notFoundHere:
      'Nous n’avons trouvé ici aucun changement qui aurait suffi. Cela ne signifie pas qu’il n’en existe aucun.',
    blocking: (count) =>
      count === 1 ? `Cette règle en est la raison${SPACE}:` : `Ces règles, ensemble, en sont la raison${SPACE}:`,
    nowhere: (goal) => `Aucun ensemble d’informations accepté par la procédure ne conduit ${goal}.`,
    missing: (labels) =>
      `Des informations manquent${SPACE}: ${labels}. Avec ces informations, le résultat peut être différent.`,
    without: (rule, count) =>
      `Sans la règle ${quote(rule)}, ${count === 1 ? 'ce changement aurait suffi' : 'ces changements, ensemble, auraient suffi'}${SPACE}:`,
    withoutNothing: (rule) => `Sans la règle ${quote(rule)}, aucun changement n’aurait été nécessaire.`,
    noSingle: 'Les autres règles restant en vigueur, la suppression d’une seule de nos règles n’aurait pas suffi.',
    undetermined: 'Nous n’avons pas pu établir si la suppression d’une seule de ces règles aurait suffi.',
  },
  reasons: {
    introduction: (reference) =>
      reference === undefined
        ? `Ces informations ont le plus pesé contre un autre résultat${SPACE}:`
        : `${COMPARED[reference]}, ces informations ont le plus pesé contre un autre résultat${SPACE}:`,
    share: (share) => `Cela représente ${share} de tout ce qui a pesé contre un autre résultat.`,
    enough: (done) => `Un changement autorisé de cette seule information aurait ${done}. Cela est prouvé.`,
    notEnough: (done) =>
      `Aucun changement de cette seule information qui respecte toutes nos règles n’aurait ${done}. Cela est prouvé.`,
    undetermined: 'Nous n’avons pas pu établir si un changement de cette seule information aurait suffi.',
  },
  rule: {
    never: 'aucun changement n’est prévu',
    increase: 'seule une hausse est autorisée',
    decrease: 'seule une baisse est autorisée',
    onlyToYes: 'seul un passage de non à oui est autorisé',
    onlyToNo: 'seul un passage de oui à non est autorisé',
    higher: 'seul un passage à un niveau supérieur est autorisé',
    lower: 'seul un passage à un niveau inférieur est autorisé',
    limited: 'une règle limite les changements de cette information',
    maxIncrease: (value) => `la hausse est limitée à ${value}`,
    maxDecrease: (value) => `la baisse est limitée à ${value}`,
    step: (value) => `seuls des changements par paliers de ${value} sont autorisés`,
    allow: (values) => `seul un passage à ${values} est autorisé`,
    limits: 'seuls des changements dans certaines limites sont autorisés',
    steps: 'seuls des changements par paliers fixes sont autorisés',
    knownRange: 'seules les valeurs dans l’intervalle des cas connus sont prises en compte',
    onlyThese: (labels) => `Seules ces informations peuvent changer${SPACE}: ${labels}`,
    onlySome: 'Seules certaines informations peuvent changer',
    fitTogether: (labels) => `Ces informations doivent être cohérentes entre elles${SPACE}: ${labels}`,
    someFitTogether: 'Certaines informations doivent être cohérentes entre elles',
    condition: 'une condition fixe s’applique',
    mostChanges: (count, shown) =>
      count === 1
        ? 'Une seule information peut changer'
        : `Au plus ${shown} informations peuvent changer en même temps`,
    fewChanges: 'Seul un nombre limité d’informations peut changer en même temps',
    margin: 'Le seuil doit être dépassé avec une marge de sécurité',
    plausible: 'Les informations doivent ressembler à celles de cas réels',
    other: 'Une autre règle de notre évaluation',
  },
  review: {
    offer:
      'Si vous pensez que la décision ou l’une des informations ci-dessus est erronée, vous pouvez demander un réexamen par une personne.',
    contact: (contact) => `Veuillez vous adresser à${SPACE}: ${contact}`,
    reply: 'Veuillez vous adresser au service qui vous a envoyé ce courrier.',
  },
  validity: {
    until: (date, hasChange) =>
      `Cette information est valable jusqu’au ${date}, tant que vos ${hasChange ? 'autres ' : ''}informations restent les mêmes.`,
    open: 'Ce courrier décrit l’évaluation telle qu’elle a été faite. Des changements ultérieurs de vos informations ou de nos règles peuvent conduire à un autre résultat.',
    receipt: (date) =>
      `Nous nous engageons sur cette information jusqu’au ${date}. Le texte ci-dessous est notre reçu signé. Chacun peut vérifier avec nos clés publiques que le reçu vient de nous et n’a pas été modifié.`,
  },
  record: {
    reference: (id) => `Référence${SPACE}: ${id}`,
    model: (name) => `Procédure${SPACE}: ${name}`,
    version: (model, version) => `${model}, version ${version}`,
    rules: (policy) => `Règles${SPACE}: ${policy}`,
    fingerprint: (digest) => `Code de contrôle${SPACE}: ${digest}`,
  },
};
