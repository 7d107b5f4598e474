import { describe, expect, it } from 'vitest';
import { parseDocument } from '../../../src/documents/parse.js';
import type { ResultDocument } from '../../../src/documents/result-document.js';
import { type SummaryDocument, summarySchema } from '../../../src/documents/summary-document.js';
import { PersonResultReader } from '../../../src/report/summary/person-result.js';
import { SummaryCollector, type SummaryOptions } from '../../../src/report/summary/summary-collector.js';
import { answerOf, briefLines, infeasibleOf, population, resultOf } from './people-results.js';

function summarise(results: readonly (ResultDocument | string)[], options: SummaryOptions = {}): SummaryDocument {
  const collector = new SummaryCollector(options);
  const reader = new PersonResultReader();
  for (const result of results) {
    const person = reader.read(typeof result === 'string' ? result : JSON.stringify(result));
    if (person) collector.add(person);
  }
  const summary = collector.summarise();
  return parseDocument(summarySchema, JSON.parse(JSON.stringify(summary)), 'summary');
}

const housed = (housing: string, n: number, blocked: number): ResultDocument[] =>
  Array.from({ length: n }, (_, i) => {
    const factual = { features: { housing }, prediction: 'rejected', score: 0.3 };
    return i < blocked ? infeasibleOf({ factual }) : resultOf({ factual });
  });

describe('a summary', () => {
  it('counts statuses, models, policies and targets', () => {
    const other = { name: 'credit', version: 4, digest: 'sha256:cc' };
    const summary = summarise([
      resultOf(),
      resultOf({ status: 'already', counterfactuals: [] }),
      infeasibleOf({ model: other, target: { from: 0.7 } }),
    ]);
    expect(summary.statuses).toEqual({ found: 1, already: 1, infeasible: 1, 'not-found': 0, invalid: 0 });
    expect(summary.models).toEqual([
      { name: 'credit', version: 3, digest: 'sha256:aa', results: 2 },
      { ...other, results: 1 },
    ]);
    expect(summary.targets).toEqual([
      { target: 'approved', results: 2 },
      { target: { from: 0.7 }, results: 1 },
    ]);
  });

  it('tells how often, in which direction and how far features change', () => {
    const change = (feature: string, from: number | string | boolean, to: number | string | boolean) =>
      resultOf({ counterfactuals: [answerOf({ changes: [{ feature, from, to }] })] });
    const { changes, changesPerAnswer } = summarise([
      change('income', 2000, 2100),
      change('income', 2000, 2300),
      change('income', 2000, 1900),
      change('hasGuarantor', false, true),
      change('housing', 'rent', 'own'),
    ]);
    expect(changesPerAnswer).toEqual({ 1: 5 });
    expect(changes[0]).toMatchObject({ feature: 'income', increases: 2, decreases: 1, values: [] });
    expect(changes[0].answers).toMatchObject({ people: 3, of: 5, share: 0.6 });
    expect(changes[0].increase).toMatchObject({ count: 2, min: 100, median: 200, max: 300 });
    expect(changes[0].decrease).toMatchObject({ count: 1, median: 100 });
    expect(changes[1]).toMatchObject({
      feature: 'hasGuarantor',
      increases: 1,
      values: [{ from: false, to: true, answers: 1 }],
    });
    expect(changes[2]).toMatchObject({
      feature: 'housing',
      increases: 0,
      decreases: 0,
      values: [{ from: 'rent', to: 'own', answers: 1 }],
    });
  });

  it('takes the cheapest answer of a person, also of several levers', () => {
    const counterfactuals = [answerOf({ cost: 3, lever: 'a' }), answerOf({ cost: 2, lever: 'b' })];
    expect(summarise([resultOf({ counterfactuals })]).cost).toMatchObject({ count: 1, min: 2, max: 2 });
  });

  it('tells proofs, gaps and limits', () => {
    const gap = answerOf({ proof: { kind: 'gap', lowerBound: 0.9, gap: 0.1 } });
    const { proofs, limits } = summarise([
      resultOf(),
      resultOf({ counterfactuals: [gap], degraded: true, limitedBy: 'time' }),
    ]);
    expect(proofs).toMatchObject({ optimal: 1, gap: 1, heuristic: 0, gaps: { count: 1, median: 0.1 } });
    expect(limits).toEqual({ effort: 0, time: 1, degraded: 1 });
  });

  it('tells what blocks and what would help', () => {
    const [reason] = [infeasibleOf().reason!];
    const { reasons } = summarise([
      infeasibleOf(),
      infeasibleOf({ reason: { ...reason, relaxation: null } }),
      infeasibleOf({ reason: { ...reason, relaxation: 'undetermined' } }),
      resultOf({
        status: 'invalid',
        factual: null,
        counterfactuals: [],
        reason: { code: 'bad-row', path: 'features.age', message: 'is missing' },
      }),
    ]);
    expect(reasons.blocking).toEqual([
      { entry: 'features.income.max', people: 3 },
      { entry: 'maxChanges', people: 3 },
    ]);
    expect(reasons.relaxations).toMatchObject([{ entry: 'features.income.max', people: 1, cost: { median: 4 } }]);
    expect(reasons).toMatchObject({
      noSingleEntry: 1,
      undetermined: 1,
      invalid: [{ reason: 'features.age: is missing', people: 1 }],
    });
  });

  it('says the same in every order of the results', () => {
    const people = population(3000);
    const { map: _, ...summary } = summarise(people, { by: ['age', 'income', 'housing'] });
    const { map: __, ...reversed } = summarise([...people].reverse(), { by: ['age', 'income', 'housing'] });
    expect(reversed).toEqual(summary);
  });

  it('draws at most 2,000 points, the same for the same seed', () => {
    const people = population(12_000);
    const { map } = summarise(people);
    expect([map.found.length, map.infeasible.length]).toEqual([1500, 500]);
    expect(summarise(people).map).toEqual(map);
    expect(summarise(people, { seed: 2 }).map.found).not.toEqual(map.found);
    expect(map.leastAnswerScore).toBe(0.62);
  });

  it('takes brief results, and says so', () => {
    const summary = summarise(briefLines([resultOf(), infeasibleOf(), resultOf({ degraded: true })]));
    expect(summary).toMatchObject({
      results: 3,
      brief: 3,
      models: [{ name: 'credit', results: 3 }],
      targets: [],
      cost: { count: 2 },
      map: { scores: null },
    });
    expect(summary.changes[0]).toMatchObject({ feature: 'income', increases: 0, decreases: 0 });
    expect(summary.limits.degraded).toBe(1);
  });

  it('of nothing is a summary', () => {
    expect(summarise([], { by: ['age'] })).toMatchObject({ results: 0, cost: null, groups: [{ kind: 'missing' }] });
  });
});

describe('groups', () => {
  it('have shares, medians and the most asked change', () => {
    const { groups } = summarise([...housed('own', 200, 20), ...housed('rent', 100, 30)], { by: ['housing'] });
    expect(groups[0]).toMatchObject({ feature: 'housing', kind: 'values', suppressed: [] });
    const [own, rent] = groups[0].groups;
    expect(own).toMatchObject({
      name: 'own',
      people: 200,
      noRecourse: { people: 20, of: 200, share: 0.1 },
      cost: { median: 1 },
    });
    expect(own.mostAsked).toMatchObject({ feature: 'income', answers: { people: 180, of: 180 } });
    expect(rent.noRecourse.share).toBe(0.3);
    // R: chisq.test(matrix(c(20, 180, 30, 70), 2), correct = FALSE)
    expect(groups[0].noRecourseTest).toMatchObject({ method: 'chi-square' });
    expect(groups[0].noRecourseTest.statistic).toBeCloseTo(19.2, 10);
    expect(groups[0].noRecourseTest.adjusted).toBeCloseTo(2 * groups[0].noRecourseTest.p!, 12);
  });

  it('of few people have no figures, nor has the group that would tell theirs', () => {
    const people = [
      ...housed('own', 200, 5),
      ...housed('rent', 100, 5),
      ...housed('free', 30, 5),
      ...housed('boat', 3, 1),
    ];
    const [grouping] = summarise(people, { by: ['housing'] }).groups;
    expect(grouping.groups.map(({ name }) => name)).toEqual(['own', 'rent']);
    expect(grouping.suppressed.sort()).toEqual(['boat', 'free']);
    const [all] = summarise(people, { by: ['housing'], smallestGroup: 1 }).groups;
    expect(all.groups).toHaveLength(4);
    const [two] = summarise([...people, ...housed('tent', 8, 0)], { by: ['housing'] }).groups;
    expect(two.suppressed.sort()).toEqual(['boat', 'tent']);
  });

  it('count people without the target for this', () => {
    const have = Array.from({ length: 50 }, () =>
      resultOf({
        status: 'already',
        counterfactuals: [],
        factual: { features: { housing: 'free' }, prediction: 'approved', score: 0.9 },
      }),
    );
    const people = [...housed('own', 200, 5), ...housed('rent', 100, 5), ...housed('free', 3, 1), ...have];
    expect(summarise(people, { by: ['housing'] }).groups[0].suppressed.sort()).toEqual(['free', 'rent']);
  });

  it('of numbers are ranges of about equally many people', () => {
    const [age, income] = summarise(population(5000), { by: ['age', 'income'] }).groups;
    for (const { kind, groups } of [age, income]) {
      expect(kind).toBe('ranges');
      expect(groups).toHaveLength(5);
      for (const { people } of groups) expect(Math.abs(people - 1000)).toBeLessThan(150);
    }
    expect(age.groups[0]).toMatchObject({ from: 18, isToIncluded: true });
    expect(income.groups.at(-1)).toMatchObject({ to: 4000, isToIncluded: false });
  });

  it('of a number hold exactly the people of their range', () => {
    const people = population(5000);
    const [{ groups }] = summarise(people, { by: ['income'] }).groups;
    for (const { from, to, people: count } of groups) {
      const inRange = people.filter(({ factual }) => {
        const income = factual!.features.income as number;
        return income >= from! && income < to!;
      });
      expect(count).toBe(inRange.length);
    }
  });

  it('of few numbers are these numbers', () => {
    const people = population(400).map((one, i) => ({
      ...one,
      factual: { ...one.factual!, features: { children: i % 3 } },
    }));
    const [{ kind, groups }] = summarise(people, { by: ['children'] }).groups;
    expect([kind, groups.map(({ value }) => value)]).toEqual(['values', [0, 1, 2]]);
  });

  it('of names are refused', () => {
    const people = population(100).map((one, i) => ({
      ...one,
      factual: { ...one.factual!, features: { name: `n${i}` } },
    }));
    expect(summarise(people, { by: ['name', 'nothing'] }).groups).toMatchObject([
      { kind: 'too-many', groups: [] },
      { kind: 'missing', groups: [] },
    ]);
  });

  it('with few cases in several groups are compared by the exact test', () => {
    const people = [...housed('own', 30, 0), ...housed('rent', 30, 1), ...housed('free', 30, 8)];
    const [{ noRecourseTest, groups }] = summarise(people, { by: ['housing'] }).groups;
    expect(noRecourseTest.method).toBe('fisher');
    expect(noRecourseTest.p).toBe(Math.min(...groups.map(({ noRecourseAdjusted }) => noRecourseAdjusted!)));
    expect(noRecourseTest.p).toBeLessThan(0.01);
  });

  it('of equal chances rarely differ', () => {
    let found = 0;
    for (let seed = 1; seed <= 60; seed++) {
      const [{ noRecourseTest, costTest }] = summarise(population(300, seed), { by: ['housing'] }).groups;
      if (Math.min(noRecourseTest.adjusted!, costTest.adjusted!) < 0.05) found++;
    }
    expect(found).toBeLessThanOrEqual(8);
  });
});

describe('a line that is no result', () => {
  it.each([
    ['{"id":', 'this is no JSON'],
    ['id,status,answer', 'this is no JSON'],
    ['[1]', 'this is no result of elsewise'],
    ['{"schema":"elsewise.brief/v1"}', '`model` is missing'],
    ['{"id":"a","status":"already"}', 'this is no result of elsewise'],
    ['{"id":"a","features":{}}', 'this is no result of elsewise'],
    ['{"schema":"elsewise.model/v1"}', 'got another kind of document'],
    [JSON.stringify({ ...resultOf(), status: 'fine' }), '`status` is missing or does not fit'],
    [JSON.stringify({ ...resultOf(), counterfactuals: [] }), '`status` is missing or does not fit'],
    [JSON.stringify({ ...resultOf(), counterfactuals: [{ ...answerOf(), cost: -1 }] }), '`counterfactuals[0].cost`'],
    [
      JSON.stringify({ ...resultOf(), counterfactuals: [{ ...answerOf(), changes: [{}] }] }),
      '`counterfactuals[0].changes`',
    ],
    [JSON.stringify({ ...resultOf(), factual: { score: 1 } }), '`factual`'],
    [JSON.stringify({ ...infeasibleOf(), reason: { message: '', relaxation: { entry: 'x' } } }), '`reason`'],
    [JSON.stringify({ ...resultOf(), model: 'credit' }), '`model`'],
  ])('is refused: %s', (line, message) => {
    expect(() => new PersonResultReader().read(line)).toThrow(message);
  });

  it('is not quoted', () => {
    expect(() => new PersonResultReader().read('{"id":"Jane Doe",}')).not.toThrow('Jane');
  });
});
