/**
 * Scorecards: the plain form with its faults by line, and cards that optbinning made (test/fixtures/additive, see make_scorecards.py there), for
 * special codes, missing values, unknown categories, and rows at every end of a bin and the two numbers beside it.
 */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { describeAdditive } from '../../../src/formats/additive-features.js';
import type { FormatOptions } from '../../../src/formats/format.js';
import { importScorecard } from '../../../src/formats/scorecards/scorecard.js';
import type { ModelDocument } from '../../../src/index.js';
import { loadModel, Scorer } from '../../../src/models/load.js';
import { readRecord, recordOf } from '../../../src/models/read-row.js';
import { faultOf } from '../../support/documents.js';

const FOLDER = new URL(process.env.ADDITIVE_FIXTURES ?? '../../fixtures/additive/', import.meta.url);
const CARDS = ['scorecard-points', 'scorecard-intercept', 'scorecard-rounded'];

type Row = Record<string, string | number | boolean | null>;
interface Expected {
  intercept: number;
  rows: Row[];
  scores: number[];
}

const read = (file: string) => readFileSync(new URL(file, FOLDER));
const expectedOf = (name: string): Expected => JSON.parse(read(`${name}.expected.json`).toString('utf8'));

/** By row: the points of the model, and its prediction. */
function scoresOf(document: ModelDocument, rows: readonly Row[]) {
  const columns = document.features.map(({ name }) => rows.map((row) => row[name]));
  const model = loadModel({ ...document, features: describeAdditive(document, columns).features });
  const scorer = new Scorer(model);
  const values = new Float64Array(model.space.features.length);
  return rows.map((row) => {
    readRecord(model, recordOf(model, row), values);
    scorer.runValues(values);
    return { points: scorer.raw[0], prediction: model.predict(row).prediction };
  });
}

describe.each(CARDS)('%s of optbinning', (name) => {
  const { rows, scores, intercept } = expectedOf(name);

  it('has the scores of the library, written with exact ends', () => {
    for (const [r, { points, prediction }] of scoresOf(importScorecard(read(`${name}.csv`)), rows).entries()) {
      expect(Math.abs(points - scores[r]), JSON.stringify(rows[r])).toBeLessThan(1e-9);
      expect(prediction).toBe(scores[r] >= 500.5 ? 'accepted' : 'rejected');
    }
  });

  it('has them as a table as well, but for values between a printed end and the exact end', () => {
    const bytes = read(`${name}.table.csv`);
    const codes = name === 'scorecard-intercept' ? {} : { specialCodes: ['-999'] };
    const options: FormatOptions = { baseScore: intercept, ...codes };
    if (name === 'scorecard-rounded') {
      expect(faultOf(() => importScorecard(bytes, options))).toMatchObject({
        path: expect.stringMatching(/^scorecard, line \d+$/),
      });
      return;
    }
    const ends = new Set(
      [...bytes.toString().matchAll(/[[(](\S+), (\S+)\)/g)].flatMap(([, a, b]) => [Number(a), Number(b)]),
    );
    const isNearEnd = (value: unknown) =>
      [...ends].some((end) => value !== null && Math.abs(Number(value) - end) <= 0.005);
    const wrong = scoresOf(importScorecard(bytes, options), rows).filter(({ points }, r) => {
      if (Math.abs(points - scores[r]) < 1e-9) return false;
      expect([rows[r].age, rows[r].income].some(isNearEnd), JSON.stringify(rows[r])).toBe(true);
      return true;
    });
    expect(wrong.length).toBeLessThan(rows.length / 5);
  });
});

describe('a table of optbinning with special codes', () => {
  it('is refused until the codes are named', () => {
    const fault = faultOf(() => importScorecard(read('scorecard-points.table.csv')));
    expect((fault as Error).message).toMatch(/name the codes by --special-codes/);
  });
});

const CARD = `# base score: 500
# cut-off: 560
# any other line is a comment
feature,from,to,categories,points
age,,25,,10
age,40,,,40
age,25,40,,30
age,,,(missing),15
housing,,,own|free,20
housing,,,"[""a|b, c""]",5
housing,,,(other),0
`;
const card = (text: string, options?: FormatOptions) => importScorecard(Buffer.from(text), options);
const predict = (document: ModelDocument, row: Row) => loadModel(document).predict(row);

describe('the plain form', () => {
  it('has intervals in any order, categories, missing values and others', () => {
    const document = card(CARD);
    expect(document.classes).toEqual(['rejected', 'accepted']);
    const points = (row: Row) => predict(document, row).scores.accepted;
    expect([24.9, 25, 39, 40, null].map((age) => points({ age, housing: 'own' }))).toEqual([530, 550, 550, 560, 535]);
    expect(['free', 'a|b, c'].map((housing) => points({ age: 25, housing }))).toEqual([550, 535]);
    expect(predict(document, { age: 40, housing: 'own' }).prediction).toBe('accepted');
    expect(predict(document, { age: 39, housing: 'own' }).prediction).toBe('rejected');
    expect(faultOf(() => predict(document, { age: 40, housing: null }))).toMatchObject({ path: 'features.housing' });
  });

  it('is the same with semicolons, decimal commas and lines of Windows', () => {
    const text = CARD.replace('age,,25,,10', 'age,,24.5,,10.25').replace('age,25,40', 'age,24.5,40');
    const quoted = text.replace('"[""a|b, c""]"', 'a');
    const other = quoted
      .split('\n')
      .map((line) => (line.startsWith('#') ? line : line.replaceAll(',', ';').replaceAll('.', ',')))
      .join('\r\n');
    expect(card(`\uFEFF${other}`).parameters).toEqual(card(quoted).parameters);
  });

  it('predicts points without a cut-off, and takes options before its own lines', () => {
    const text = CARD.replace(/# cut-off.*\n/, '');
    expect(predict(card(text, { baseScore: 0 }), { age: 30, housing: 'own' }).prediction).toBe(50);
    expect(card(CARD, { cutOff: 1 }).parameters.threshold).toBe(1);
  });

  it('turns points into probabilities, and decides by points', () => {
    const odds = { pointsToDouble: 20, odds: 50, oddsPoints: 540 };
    const document = card(CARD, odds);
    const { scores, prediction } = predict(document, { age: 40, housing: 'own' });
    expect(scores.accepted).toBeCloseTo(100 / 101, 12);
    expect(prediction).toBe('accepted');
    expect(predict(document, { age: 39, housing: 'own' }).prediction).toBe('rejected');
    const noted = CARD.replace(
      '# cut-off',
      '# points to double the odds: 20\n# odds: 50\n# points at odds: 540\n# cut-off',
    );
    expect(card(noted)).toEqual(document);
    expect((faultOf(() => card(CARD, { odds: 50 })) as Error).message).toMatch(/odds need the points that double/);
  });

  it.each([
    ['a gap', CARD.replace('age,25,40', 'age,26,40'), 7, /no row of "age" has points from 25 to 26/],
    ['an overlap', CARD.replace('age,25,40', 'age,24,40'), 7, /from 24 to 40 overlaps that of line 5/],
    ['the same interval twice', CARD.replace('age,40,,,40', 'age,25,40,,40'), 7, /overlaps/],
    [
      'no lowest interval',
      CARD.replace('age,,25', 'age,0,25'),
      5,
      /no row of "age" has points from minus infinity to 0/,
    ],
    ['no highest interval', CARD.replace('age,40,', 'age,40,90'), 6, /from 90 on: leave "to" of the last row empty/],
    ['an empty interval', CARD.replace('age,25,40', 'age,40,25'), 7, /is empty/],
    ['a category twice', CARD.replace('own|free', 'own|own'), 9, /"own" has points already/],
    ['two rows of missing values', CARD.replace('age,25,40,', 'age,,,(missing)'), 8, /line 7 has points/],
    ['intervals and categories', CARD.replace('age,25,40,', 'age,,,old'), 7, /intervals and categories/],
    ['both in one row', CARD.replace('age,25,40,', 'age,25,40,old'), 7, /or "categories"/],
    ['points that are no number', CARD.replace(',30', ',thirty'), 7, /points: expected a number, got "thirty"/],
    ['points that are missing', CARD.replace(',30', ','), 7, /points: expected a number/],
    ['a row without a feature', CARD.replace('age,25', ',25'), 7, /names no feature/],
    ['an end that is no number', CARD.replace('age,25,40', 'age,25,4O'), 7, /to: expected a number, got "4O"/],
    ['a broken list', CARD.replace('"[""a|b, c""]"', '"[""a"'), 10, /or a JSON list/],
    ['an unknown key', CARD.replace('cut-off', 'cut of points'), 2, /unknown key "cut of points"/],
    ['a feature of missing values only', `${CARD}debt,,,(missing),1\n`, 12, /no interval and no category/],
  ])('with %s is refused by the line', (_, text, line, words) => {
    const fault = faultOf(() => card(text));
    expect(fault).toMatchObject({ code: 'bad-document', path: `scorecard, line ${line}` });
    expect((fault as Error).message).toMatch(words);
  });

  it.each([
    ['no rows', '# base score: 1\n', /no rows/],
    ['a header only', 'feature,from,to,categories,points\n', /no rows of points/],
    ['another header', 'name,score\na,1\n', /expected feature, from, to/],
    ['an open quote', 'feature,categories,points\na,"b,1\n', /quote is not closed/],
    ['nothing', '', /no rows/],
  ])('with %s is refused', (_, text, words) => {
    expect((faultOf(() => card(text)) as Error).message).toMatch(words);
  });
});

describe('docs/scorecards-and-ebm.md', () => {
  const page = readFileSync(new URL('../../../docs/scorecards-and-ebm.md', import.meta.url), 'utf8');
  const block = (language: string) => page.split(`\`\`\`${language}\n`)[1].split('```')[0];

  it('has a scorecard and a document that load', () => {
    const points = (row: Row) => predict(card(block('csv')), row).scores.accepted;
    expect(points({ age: null, housing: 'free' })).toBe(535);
    const { features } = card('feature,from,categories,points\nincome,,,0\nhousing,,own|rent|free,0\n');
    const parameters = JSON.parse(block('json'));
    const model = {
      schema: 'elsewise.model/v1',
      name: 'm',
      family: 'additive',
      features,
      classes: ['a', 'b'],
      parameters,
    };
    expect(() => loadModel(model)).not.toThrow();
  });
});
