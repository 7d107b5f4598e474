import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { FeatureDocument } from '../../../src/documents/model-document.js';
import type { ResultDocument } from '../../../src/documents/result-document.js';
import { loadPolicy } from '../../../src/policy/policy.js';
import { acceptBand } from '../../../src/report/html/accept-band.js';
import { Labels } from '../../../src/report/html/labels.js';
import { PeopleSample } from '../../../src/report/html/people.js';
import { recordText } from '../../../src/report/html/record-text.js';
import { reportPage } from '../../../src/report/html/report-page.js';
import { PersonResultReader } from '../../../src/report/summary/person-result.js';
import { SummaryCollector } from '../../../src/report/summary/summary-collector.js';
import { answerOf, briefLines, infeasibleOf, population, resultOf } from './people-results.js';

const HOSTILE = `</script><script>alert(1)</script><img src=x onerror=alert(1)> "'\`& \u202Egnp.exe \u0000`;

const features: FeatureDocument[] = [
  { name: 'income', type: 'continuous', unit: 'EUR', label: 'Monthly income' },
  { name: 'housing', type: 'categorical', categories: ['own', 'rent'] },
];

interface PageOptions {
  readonly by?: readonly string[];
  readonly people?: number;
  readonly labels?: Labels;
}

function page(
  lines: readonly (ResultDocument | string)[],
  { by = [], people: most = 1000, labels = new Labels([]) }: PageOptions = {},
) {
  const collector = new SummaryCollector({ by });
  const people = new PeopleSample(most, 1, labels);
  const reader = new PersonResultReader();
  lines.forEach((one, i) => {
    const line = typeof one === 'string' ? one : JSON.stringify(one);
    const person = reader.read(line);
    if (!person) return;
    collector.add(person);
    people.add(person, line, i + 1);
  });
  const summary = collector.summarise();
  const created = new Date('2026-01-15T10:00:00Z');
  const band = acceptBand(summary);
  return reportPage({
    summary,
    labels,
    people: people.take(),
    band,
    costUnit: '',
    source: 'r.ndjson',
    software: '1',
    created,
    seed: 1,
  });
}

/** The text that a reader sees. */
const textOf = (html: string): string =>
  html
    .replace(/<(style|script)>.*?<\/\1>/gs, '')
    .replace(/<[^>]*>/g, ' ')
    .replaceAll('&lt;', '<')
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&')
    .replace(/\s+/g, ' ');

describe('a report', () => {
  it('tells the figures of all people', () => {
    const text = textOf(page(population(500), { by: ['housing'] }));
    expect(text).toContain('450 have a way to the target (90.0 %)');
    expect(text).toContain('50 have no way within the policy, proved (10.0 %)');
    expect(text).toContain('100.0 % of the answers are proved to be cheapest');
    expect(text).toContain('By housing');
    expect(text).toContain('All 500 people.');
    expect(text).toContain('sha256:aa');
    expect(text).toContain('2026-01-15 10:00 UTC');
  });

  it('names all targets of results that have several, and the target of each answer', () => {
    const targets = [
      { target: 'A', status: 'infeasible' },
      { target: 'B', status: 'found' },
    ] as const;
    const answer = answerOf({ target: 'B', band: 'B', prediction: 'rejected', score: 0.72 });
    const text = textOf(page([resultOf({ target: 'B', targets: [...targets], counterfactuals: [answer] })]));
    expect(text).toContain('1 person, targets A, B');
    expect(text).toContain('B: income from 2,100 to 2,600');
    expect(text).toContain('it would have been in band B (0.72) with:');
    expect(textOf(page(population(20)))).toContain('20 people, target approved');
  });

  it('counts one person as one', () => {
    const months = [{ name: 'months', type: 'integer', unit: 'months' }] as const;
    const change = { features: { months: 4 }, changes: [{ feature: 'months', from: 3, to: 4 }] };
    const range = { features: { months: { from: 1 } }, proof: { kind: 'proved', maximal: true } } as const;
    const reason = { code: 'limit', message: 'the effort ended' };
    const results = [
      resultOf({ counterfactuals: [answerOf({ ...change, region: range })], degraded: true }),
      infeasibleOf({ id: 'a-2' }),
      resultOf({ id: 'a-3', status: 'already', counterfactuals: [] }),
      ...['a-4', 'a-5'].map((id) => resultOf({ id, status: 'not-found', counterfactuals: [], reason })),
    ];
    const text = textOf(page(results, { labels: new Labels(months) }));
    for (const words of [
      '1 has a way to the target',
      '1 has no way within the policy',
      '1 has the target already',
      '1 person without a way',
      '1 search ended before a proof',
      'up by 1 month ',
      'months at least 1 month.',
    ])
      expect(text).toContain(words);
    expect(text).not.toMatch(/(?<!-)\b1 (people|have|months|searches|points)\b/);
  });

  it('is the same for the same results', () => {
    expect(page(population(300), { by: ['age'] })).toBe(page(population(300), { by: ['age'] }));
  });

  it('loads nothing, and permits exactly its own style and script', () => {
    const html = page(population(50));
    const [, policy] = /http-equiv="Content-Security-Policy" content="([^"]*)"/.exec(html)!;
    const allowed = policy.replaceAll('&#39;', "'");
    const digestOf = (tag: string) => {
      const [, content] = new RegExp(`<${tag}>(.*?)</${tag}>`, 's').exec(html)!;
      return createHash('sha256').update(content).digest('base64');
    };
    expect(allowed).toContain("default-src 'none'");
    expect(allowed).toContain(`style-src 'sha256-${digestOf('style')}'`);
    expect(allowed).toContain(`script-src 'sha256-${digestOf('script')}'`);
    expect(html).not.toMatch(/\s(src|href|style|on\w+)=/);
    expect(html.match(/<script/g)).toHaveLength(1);
    expect(html).not.toMatch(/https?:/);
  });

  it('shows hostile text as text', () => {
    const person = { features: { housing: HOSTILE, [HOSTILE]: 1 }, prediction: HOSTILE, score: 0.1 };
    const changes = [{ feature: HOSTILE, from: HOSTILE, to: HOSTILE }];
    const reason = { ...infeasibleOf().reason!, message: HOSTILE, blocking: [HOSTILE, `features.${HOSTILE}.max`] };
    const named = {
      id: HOSTILE,
      factual: person,
      target: HOSTILE,
      model: { name: HOSTILE, version: null, digest: HOSTILE },
      policy: { name: HOSTILE, digest: HOSTILE },
    };
    const results = [
      ...Array.from({ length: 12 }, () =>
        resultOf({ ...named, counterfactuals: [answerOf({ changes, solver: HOSTILE, prediction: HOSTILE })] }),
      ),
      ...Array.from({ length: 12 }, () => infeasibleOf({ ...named, reason })),
      resultOf({
        ...named,
        status: 'invalid',
        factual: null,
        counterfactuals: [],
        reason: { code: 'x', path: HOSTILE, message: HOSTILE },
      }),
    ];
    const html = page(results, {
      by: ['housing', HOSTILE],
      labels: new Labels([{ name: HOSTILE, type: 'boolean', label: HOSTILE }]),
    });
    expect(html.match(/<script/g)).toHaveLength(1);
    expect(html).not.toContain('<img');
    expect(['\u202e', '\u0000'].filter((mark) => html.includes(mark))).toEqual([]);
    expect(html).toContain('‹U+202E›gnp.exe');
    expect(html.replace(/"[^"]*"/g, '""').match(/<\w+[^>]*\son\w+=/g)).toBeNull();
  });

  it('bounds long text', () => {
    const long = 'x'.repeat(200_000);
    const html = page([resultOf({ id: long, factual: { features: { [long]: long }, prediction: long, score: 0 } })], {
      by: [long.slice(0, 50)],
    });
    expect(html.length).toBeLessThan(80_000);
    expect(html).toContain('(The record is longer. It is line 1 of the results.)');
  });

  it('shows a sample of many people, with all kinds of outcomes', () => {
    const html = page(population(5000), { people: 200 });
    expect(html.match(/<tr data-status="found">/g)).toHaveLength(100);
    expect(html.match(/<tr data-status="infeasible">/g)).toHaveLength(100);
    expect(html).toContain('A random sample of 200 of 5,000 people');
    expect(textOf(page(population(100), { people: 0 }))).not.toContain('People');
  });

  it('stays below 5 MB, whatever the records are', () => {
    const wide = Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`feature <${i}>`, `${i} & "more"`]));
    const results = population(500).map((one) => ({
      ...one,
      factual: { ...one.factual!, features: { ...one.factual!.features, ...wide } },
    }));
    expect(Buffer.byteLength(page(results, { people: 5000 }))).toBeLessThan(5_000_000);
  });

  it('opens to the sentence and the whole record', () => {
    const result = resultOf({ id: 'a-7' });
    const html = page([result], { labels: new Labels(features) });
    expect(textOf(html)).toContain(
      'Person a-7 was rejected (score 0.40). It would have been approved (0.62) with: Monthly income from 2,100 to 2,600 EUR.',
    );
    const [, record] = /<pre[^>]*>(.*?)<\/pre>/s.exec(html)!;
    expect(JSON.parse(record.replaceAll('&lt;', '<').replaceAll('&amp;', '&'))).toEqual(result);
  });

  it('refuses a broken record that it would show', () => {
    expect(() => page([JSON.stringify({ ...resultOf(), attempts: 3 })])).toThrow(
      'this is a broken result: result.attempts',
    );
  });

  it('says what brief results lack', () => {
    const text = textOf(page(briefLines([resultOf(), infeasibleOf()])));
    expect(text).toContain('The results are brief. Brief results lack the values of the person.');
    expect(text).toContain('The scores of people are not known.');
    expect(text).toContain('income 2,600');
  });

  it('of no results says so', () => {
    expect(textOf(page([]))).toContain('There are no results yet.');
  });

  it('marks the scores that the target needs', () => {
    expect(textOf(page([resultOf()]))).toContain('The lowest score of an answer is 0.62');
    expect(textOf(page([resultOf({ target: { from: 0.55 } })]))).toContain('The target is a score from 0.55');
    const two = [resultOf(), resultOf({ target: 'other' })];
    expect(textOf(page(two))).not.toContain('The lowest score');
  });

  it('marks the threshold of the model where it is known', () => {
    const collector = new SummaryCollector();
    collector.add(new PersonResultReader().read(JSON.stringify(resultOf()))!);
    const model = { classes: ['rejected', 'approved'], thresholds: [0.4, 0.6] };
    expect(acceptBand(collector.summarise(), model)).toMatchObject({ from: 0.6 });
    expect(acceptBand(collector.summarise(), { ...model, classes: ['approved', 'rejected'] })).toMatchObject({
      from: 0.4,
    });
    expect(acceptBand(collector.summarise(), { classes: ['rejected', 'approved'] })).toMatchObject({ from: 0.62 });
  });

  it('has a heading for each section, labels for tools, and scopes in tables', () => {
    const html = page(population(300), { by: ['housing', 'age'] });
    for (const [, id] of html.matchAll(/aria-labelledby="([^"]+)"/g)) expect(html).toContain(`<h2 id="${id}"`);
    const ids = [...html.matchAll(/\sid="([^"]+)"/g)].map(([, id]) => id);
    expect(new Set(ids).size).toBe(ids.length);
    for (const [, id] of html.matchAll(/<label[^>]*for="([^"]+)"/g)) expect(ids).toContain(id);
    expect(html).not.toMatch(/<th(?![^>]*scope=)[\s>]/);
    for (const [svg] of html.matchAll(/<svg[^>]*>/g))
      expect(svg).toMatch(/role="img" aria-label="[^"]+"|aria-hidden="true"/);
  });
});

describe('words of a report', () => {
  const policy = loadPolicy({
    schema: 'elsewise.policy/v1',
    features: { income: { change: 'increase', maxIncrease: 500 }, housing: { allow: ['own', 'rent'] } },
    constraints: ['income >= 3'],
    maxChanges: 3,
    margin: 0.02,
  }).document;

  it.each([
    [
      'features.income.maxIncrease',
      'Monthly income increases by at most 500 EUR',
      'the largest increase of Monthly income',
    ],
    ['features.income.change', 'Monthly income only increases', 'the direction of Monthly income'],
    ['features.housing.allow', 'housing is one of own, rent', 'the permitted values of housing'],
    ['features.a.b.max', 'the upper limit of a.b', 'the upper limit of a.b'],
    ['constraints[0]', 'income >= 3', 'the condition 1'],
    ['maxChanges', 'at most 3 features change', 'the largest number of changes'],
    ['margin', 'the margin of 0.02 past the boundary', 'the margin past the decision boundary'],
    ['levers.earnings', 'only features of "earnings" change', 'only features of "earnings" change'],
    ['something.else', 'something.else', 'something.else'],
  ])('name the entry %s', (entry, known, unknown) => {
    expect(new Labels(features, policy).entry(entry)).toBe(known);
    expect(new Labels(features).entry(entry)).toBe(unknown);
  });

  it('tell a difference only where a test shows one, and never its cause', () => {
    const alike = textOf(page(population(600), { by: ['housing'] }));
    expect(alike).toContain('The data do not show a difference in the share without recourse between the groups');
    expect(alike).toContain('This is no proof of equality');
    const people = population(600).map((one) =>
      one.factual!.features.housing === 'own' ? infeasibleOf({ factual: one.factual }) : one,
    );
    const unlike = textOf(page(people, { by: ['housing'] }));
    expect(unlike).toContain(
      'The share without recourse differs between the groups by more than chance alone explains',
    );
    expect(unlike).toContain('to 100.0 % (own).');
    expect(unlike).toContain('The test does not tell causes');
  });

  it('say that shares are lower bounds where nothing was proved', () => {
    const people = population(300).map((one, i) =>
      i % 7 === 0
        ? resultOf({
            ...one,
            status: 'not-found',
            counterfactuals: [],
            reason: { code: 'limit', message: 'the budget ended' },
          })
        : one,
    );
    const text = textOf(page(people, { by: ['housing'] }));
    expect(text).toContain('43 without an answer: nothing found, nothing proved');
    expect(text).toContain(
      'For 43 people nothing was found and nothing was proved. They are not counted as people without a way',
    );
  });
});

describe('a record as text', () => {
  it('is the same JSON', () => {
    const result = population(1)[0];
    expect(JSON.parse(recordText(result))).toEqual(result);
    expect(recordText({ a: [], b: {}, c: null })).toBe('{"a":[],"b":{},"c":null}');
    const long = { text: 'y'.repeat(300), list: Array.from({ length: 90 }, (_, i) => ({ i })) };
    expect(JSON.parse(recordText(long))).toEqual(long);
    for (const line of recordText(long.list).split('\n')) expect(line.length).toBeLessThan(110);
  });
});
