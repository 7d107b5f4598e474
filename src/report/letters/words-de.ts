/** The sentences of letters in German. */
import type { ReasonsDocument } from '../../documents/policy-document.js';
import type { LetterWords, Under } from './letter-words.js';

const quote = (text: string): string => `„${text}“`;
const wouldHaveLed = (goal: string, count: number, also = ''): string =>
  count === 1
    ? `Die folgende Änderung hätte ${also}${goal} geführt:`
    : `Die folgenden Änderungen zusammen hätten ${also}${goal} geführt:`;

const MEASURED: Readonly<Record<Under, string>> = {
  nothing: 'Gemessen nach unseren Regeln',
  margin: 'Gemessen nach unseren Regeln und mit diesem Abstand',
  conditions: 'Gemessen nach unseren Regeln und unter diesen Bedingungen',
  everything: 'Gemessen nach unseren Regeln und mit allem, was sie verlangen,',
};
const UNDER: Readonly<Record<Exclude<Under, 'nothing'>, string>> = {
  margin: 'Mit diesem Abstand',
  conditions: 'Unter diesen Bedingungen',
  everything: 'Mit allem, was sie verlangen,',
};

const COMPARED: Readonly<Record<ReasonsDocument['reference'], string>> = {
  population: 'Im Vergleich mit dem Durchschnitt bekannter Fälle',
  accepted: 'Im Vergleich mit dem nächstgelegenen bekannten Fall, der das fragliche Ergebnis hat,',
  best: 'Im Vergleich mit dem jeweils besten Wert',
};

export const GERMAN: LetterWords = {
  title: 'Zu unserer Entscheidung',
  greeting: 'Sehr geehrte Damen und Herren,',
  yes: 'ja',
  no: 'nein',
  notGiven: 'keine Angabe',
  semicolon: '; ',
  pair: (label, value) => `${label}: ${value}`,
  quote,
  headings: {
    decision: 'Die Entscheidung',
    changes: 'Was die Entscheidung geändert hätte',
    margin: 'Was den Sicherheitsabstand erreicht hätte',
    others: 'Andere Möglichkeiten',
    reasons: 'Die wichtigsten Gründe',
    whyNot: 'Warum wir keine Änderung nennen',
    data: 'Diese Angaben haben wir verwendet',
    review: 'Überprüfung durch einen Menschen',
    validity: 'Wie lange diese Auskunft gilt',
  },
  decision: {
    assessed: 'Wir haben Ihre Angaben mit einem automatisierten Verfahren geprüft.',
    result: (name) => `Das Ergebnis lautet ${quote(name)}.`,
    value: (value) => `Das Ergebnis ist der Wert ${value}.`,
    scoreOf: (name, score) => `Ihr Punktwert für ${quote(name)} beträgt ${score}.`,
    threshold: (name, threshold) => `Die Schwelle für ${quote(name)} liegt bei ${threshold}.`,
    bandFrom: (name, from) => `Die Stufe ${quote(name)} beginnt bei ${from}.`,
    band: (name) => `Ihr Punktwert liegt in der Stufe ${quote(name)}.`,
    noBand: 'Ihr Punktwert liegt unter allen Stufen.',
    highestWins: 'Es gilt das Ergebnis mit dem höchsten Punktwert.',
    wanted: (goal) => `Für das verlangte Ergebnis hätte die Prüfung ${goal} führen müssen.`,
    already: 'Das Ergebnis, um das es geht, ist bereits erreicht. Es muss sich nichts ändern.',
    withoutMargin: 'Dieses Ergebnis ist erreicht, aber nicht mit dem Sicherheitsabstand, den unsere Regeln verlangen.',
    now: 'Ihr Punktwert',
    needed: 'Schwelle',
    after: 'nach der Änderung',
  },
  goal: {
    results: (names) => `zum Ergebnis ${names}`,
    scoreOf: (name, range) => `zu einem Punktwert für ${quote(name)} von ${range}`,
    value: (range) => `zu einem Wert von ${range}`,
    band: (name) => `zur Stufe ${quote(name)} oder zu einer besseren`,
    withMargin: (goal) => `${goal} mit dem verlangten Sicherheitsabstand`,
  },
  range: {
    atLeast: (value) => `mindestens ${value}`,
    atMost: (value) => `höchstens ${value}`,
    between: (low, high) => `${low} bis ${high}`,
    above: (low) => `mehr als ${low}`,
    below: (high) => `weniger als ${high}`,
    aboveUpTo: (low, high) => `mehr als ${low} und höchstens ${high}`,
    fromBelow: (low, high) => `mindestens ${low} und weniger als ${high}`,
    anything: 'jeder Wert',
    inSteps: (step) => `, in Schritten von ${step}`,
  },
  condition: {
    margin: (hasThreshold) =>
      `Unsere Regeln verlangen außerdem einen Sicherheitsabstand${hasThreshold ? ' zur Schwelle' : ''}.`,
    plausible: 'Unsere Regeln verlangen außerdem, dass die Angaben denen tatsächlicher Fälle ähneln.',
    background:
      'Wo unsere Regeln für eine Zahl keine Grenze nennen, muss die Zahl im Bereich der bekannten Fälle bleiben.',
    wishes: 'Ihre eigenen Wünsche gelten hier als Regeln.',
    counted: 'Unsere Regeln messen eine Änderung an der Zahl der Angaben, die sich ändern.',
    measured: 'Unsere Regeln messen eine Änderung auch daran, wie sehr die Angaben denen tatsächlicher Fälle ähneln.',
    unknown: (hasThreshold) =>
      `Unsere Regeln können mehr verlangen als nur ${hasThreshold ? 'die Schwelle' : 'das Ergebnis'}, etwa einen Sicherheitsabstand.`,
  },
  change: {
    done: (goal) => (goal === undefined ? 'ausgereicht' : `${goal} geführt`),
    wouldHaveLed: (goal, count) => wouldHaveLed(goal, count),
    wouldAlsoHaveLed: (goal, count) => wouldHaveLed(goal, count, 'ebenfalls '),
    instead: (to, from) => `${to} statt ${from}`,
    within: (range, now) => `${range} (derzeit ${now})`,
    firstGiven: (to) => `${to} (bisher keine Angabe)`,
    othersStay: 'Alle anderen Angaben bleiben dabei unverändert.',
    allWithin: (count, done) =>
      count === 1
        ? `Jeder zulässige Wert in diesem Bereich hätte ${done}. Das ist bewiesen.`
        : `Jede zulässige Kombination von Werten in diesen Bereichen hätte ${done}. Das ist bewiesen.`,
    example: (values) => `Zum Beispiel ${values}.`,
    resultAfter: (name) => `Das Ergebnis hätte dann ${quote(name)} gelautet.`,
    scoreAfter: (score) => `Ihr Punktwert hätte dann ${score} betragen.`,
    bandAfter: (name) => `Die Stufe wäre dann ${quote(name)} gewesen.`,
    towards: (goal) => `Was ${goal} geführt hätte`,
    alreadyThere: 'Das ist bereits erreicht.',
    valueAfter: (value) => `Der Wert wäre dann ${value} gewesen.`,
    proved: (under, done) => `${MEASURED[under]} hätte keine kleinere zulässige Änderung ${done}. Das ist bewiesen.`,
    provedHere: (under, done) =>
      `${MEASURED[under]} hätte keine kleinere zulässige Änderung allein dieser Angaben ${done}. Das ist bewiesen.`,
    withinGap: (share, under) => `${MEASURED[under]} wäre sie höchstens um ${share} kleiner. Das ist bewiesen.`,
    smallestKnown: 'Das ist die kleinste Änderung, die wir kennen. Möglicherweise gibt es eine kleinere.',
    enough: 'Diese Änderung hätte ausgereicht. Möglicherweise gibt es eine kleinere.',
    stepByStep: 'Ein möglicher Weg dorthin, Schritt für Schritt:',
    step: (number) => `Schritt ${number}`,
    option: (number) => `Möglichkeit ${number}`,
    onlyThese: (labels) => `Wenn sich nur diese Angaben ändern: ${labels}`,
    namedOption: (name) => `Möglichkeit ${quote(name)}`,
  },
  whyNot: {
    proved: (goal, under) =>
      under === 'nothing'
        ? `Keine Änderung, die unsere Regeln zulassen, hätte ${goal} geführt. Das ist bewiesen.`
        : `${UNDER[under]} hätte keine Änderung, die unsere Regeln zulassen, ${goal} geführt. Das ist bewiesen.`,
    provedHere: (under) =>
      under === 'nothing'
        ? 'Hier hätte keine zulässige Änderung ausgereicht. Das ist bewiesen.'
        : `${UNDER[under]} hätte hier keine zulässige Änderung ausgereicht. Das ist bewiesen.`,
    provedMargin:
      'Keine zulässige Änderung hätte die Schwelle mit dem Sicherheitsabstand erreicht, den unsere Regeln verlangen. Das ist bewiesen.',
    provedMarginHere:
      'Hier hätte keine zulässige Änderung die Schwelle mit dem Sicherheitsabstand erreicht, den unsere Regeln verlangen. Das ist bewiesen.',
    notFound: (goal) =>
      `Wir haben keine Änderung gefunden, die ${goal} geführt hätte. Das bedeutet nicht, dass es keine gibt.`,
    notFoundHere:
      'Wir haben hier keine Änderung gefunden, die ausgereicht hätte. Das bedeutet nicht, dass es keine gibt.',
    blocking: (count) =>
      count === 1 ? 'Diese Regel ist der Grund dafür:' : 'Diese Regeln zusammen sind der Grund dafür:',
    nowhere: (goal) => `Keine Angaben, die das Verfahren annimmt, führen ${goal}.`,
    missing: (labels) => `Es fehlen Angaben: ${labels}. Mit diesen Angaben kann das Ergebnis anders ausfallen.`,
    without: (rule, count) =>
      `Ohne die Regel ${quote(rule)} ${count === 1 ? 'hätte diese Änderung' : 'hätten diese Änderungen zusammen'} ausgereicht:`,
    withoutNothing: (rule) => `Ohne die Regel ${quote(rule)} hätte sich nichts ändern müssen.`,
    noSingle:
      'Solange alle anderen Regeln gelten, hätte der Verzicht auf eine einzelne unserer Regeln nicht ausgereicht.',
    undetermined: 'Wir konnten nicht klären, ob der Verzicht auf eine einzelne dieser Regeln ausgereicht hätte.',
  },
  reasons: {
    introduction: (reference) =>
      reference === undefined
        ? 'Diese Angaben sprachen am stärksten gegen ein anderes Ergebnis:'
        : `${COMPARED[reference]} sprachen diese Angaben am stärksten gegen ein anderes Ergebnis:`,
    share: (share) => `Das sind ${share} von allem, was gegen ein anderes Ergebnis sprach.`,
    enough: (done) => `Eine zulässige Änderung allein dieser Angabe hätte ${done}. Das ist bewiesen.`,
    notEnough: (done) =>
      `Keine Änderung allein dieser Angabe, die alle unsere Regeln einhält, hätte ${done}. Das ist bewiesen.`,
    undetermined: 'Wir konnten nicht klären, ob eine Änderung allein dieser Angabe ausgereicht hätte.',
  },
  rule: {
    never: 'keine Änderung vorgesehen',
    increase: 'nur ein Anstieg ist zulässig',
    decrease: 'nur ein Rückgang ist zulässig',
    onlyToYes: 'nur ein Wechsel von nein zu ja ist zulässig',
    onlyToNo: 'nur ein Wechsel von ja zu nein ist zulässig',
    higher: 'nur ein Wechsel auf eine höhere Stufe ist zulässig',
    lower: 'nur ein Wechsel auf eine niedrigere Stufe ist zulässig',
    limited: 'eine Regel begrenzt Änderungen dieser Angabe',
    maxIncrease: (value) => `der Anstieg ist auf ${value} begrenzt`,
    maxDecrease: (value) => `der Rückgang ist auf ${value} begrenzt`,
    step: (value) => `nur Änderungen in Schritten von ${value} sind zulässig`,
    allow: (values) => `nur ein Wechsel zu ${values} ist zulässig`,
    limits: 'nur Änderungen in bestimmten Grenzen sind zulässig',
    steps: 'nur Änderungen in festen Schritten sind zulässig',
    knownRange: 'nur Werte im Bereich der bekannten Fälle sind vorgesehen',
    onlyThese: (labels) => `Nur diese Angaben dürfen sich ändern: ${labels}`,
    onlySome: 'Nur einige Angaben dürfen sich ändern',
    fitTogether: (labels) => `Diese Angaben müssen zueinander passen: ${labels}`,
    someFitTogether: 'Einige Angaben müssen zueinander passen',
    condition: 'hier gilt eine feste Bedingung',
    mostChanges: (count, shown) =>
      count === 1 ? 'Nur eine Angabe darf sich ändern' : `Höchstens ${shown} Angaben dürfen sich gleichzeitig ändern`,
    fewChanges: 'Nur eine begrenzte Zahl von Angaben darf sich gleichzeitig ändern',
    margin: 'Die Schwelle muss mit einem Sicherheitsabstand überschritten werden',
    plausible: 'Die Angaben müssen denen tatsächlicher Fälle ähneln',
    other: 'Eine weitere Regel unserer Prüfung',
  },
  review: {
    offer:
      'Wenn Sie die Entscheidung oder eine der obigen Angaben für falsch halten, können Sie eine Überprüfung durch einen Menschen verlangen.',
    contact: (contact) => `Bitte wenden Sie sich an: ${contact}`,
    reply: 'Bitte wenden Sie sich an die Stelle, die Ihnen dieses Schreiben geschickt hat.',
  },
  validity: {
    until: (date, hasChange) =>
      `Diese Auskunft gilt bis zum ${date}, solange Ihre ${hasChange ? 'übrigen ' : ''}Angaben gleich bleiben.`,
    open: 'Dieses Schreiben beschreibt die Prüfung, wie sie durchgeführt wurde. Spätere Änderungen Ihrer Angaben oder unserer Regeln können zu einem anderen Ergebnis führen.',
    receipt: (date) =>
      `Wir stehen bis zum ${date} zu dieser Auskunft. Der folgende Text ist unsere signierte Quittung. Jeder kann mit unseren öffentlichen Schlüsseln prüfen, dass die Quittung von uns stammt und unverändert ist.`,
  },
  record: {
    reference: (id) => `Unser Zeichen: ${id}`,
    model: (name) => `Verfahren: ${name}`,
    version: (model, version) => `${model}, Fassung ${version}`,
    rules: (policy) => `Regelwerk: ${policy}`,
    fingerprint: (digest) => `Prüfcode: ${digest}`,
  },
};
