/** Results as columns: `JSON.stringify` of what comes back is the line that went in, whatever the results are. */
import { brotliCompressSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { counterfactualSchema, type ResultDocument, resultSchema } from '../../../src/documents/result-document.js';
import { digestOfBytes } from '../../../src/store/codec/block.js';
import { openBlock, packLines, unpackLines } from '../../../src/store/codec/result-block.js';
import { ResultColumns, ResultReader } from '../../../src/store/codec/result-columns.js';
import { lineOf } from '../../../src/store/codec/result-line.js';
import type { ResultRow } from '../../../src/store/codec/result-row.js';

const NAMES = ['age', 'income', '7', 'grade', 'ü "x"'];

const number = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.integer({ min: -1e5, max: 1e5 }).map((k) => k / 100),
  fc.constantFrom(0, 1, 2),
);
const value = fc.oneof(
  { weight: 5, arbitrary: number },
  { weight: 1, arbitrary: fc.oneof(fc.constantFrom('A', 'B', '1'), fc.boolean(), fc.constant(null)) },
);
const features = fc
  .tuple(...NAMES.map(() => value))
  .map((values) => Object.fromEntries(NAMES.map((name, i) => [name, values[i]])));
const shown = { prediction: fc.oneof(fc.constantFrom('yes', 'no', 'number'), number), score: number };
const proof = fc.oneof(
  fc.constant({ kind: 'heuristic', lowerBound: null, gap: null } as const),
  fc.record({ kind: fc.constantFrom('optimal', 'gap'), lowerBound: number, gap: number }, { noNullPrototype: true }),
);

const reason = fc.record({ code: fc.string(), message: fc.string() }, { noNullPrototype: true });
const lever = fc
  .tuple(fc.constantFrom('pay', 'home', 'ü "x"'), fc.option(reason))
  .map(([name, own]) => (own ? { lever: name, status: 'infeasible', reason: own } : { lever: name, status: 'found' }));

type Counterfactual = ResultDocument['counterfactuals'][number];

/** As the product makes them: everything follows from the features. */
const usual = fc
  .record(
    {
      id: fc.string(),
      status: fc.constantFrom('found', 'already', 'not-found'),
      target: fc.constantFrom('yes', ['yes', 'no'], { atLeast: 3 }, null),
      factual: fc.record({ features, ...shown }, { noNullPrototype: true }),
      answers: fc.array(
        fc.tuple(features, fc.record({ ...shown, cost: number, l1: number, solver: fc.string() }), proof),
      ),
      region: fc.option(fc.record({ from: number, to: number }, { noNullPrototype: true })),
      reason: fc.option(reason),
      levers: fc.option(fc.array(lever, { minLength: 1, maxLength: 3 })),
      attempts: fc.array(fc.tuple(fc.constantFrom('lp', 'qp'), fc.constantFrom('solved', 'limit'), number)),
      degraded: fc.boolean(),
      elapsedMs: number,
    },
    { noNullPrototype: true },
  )
  .map(({ answers, region, reason, levers, attempts, ...row }) => {
    const counterfactuals = answers.map(([changed, { prediction, score, cost, l1, solver }, proof]) => {
      const changes = Object.keys(changed)
        .filter((name) => changed[name] !== row.factual.features[name])
        .map((feature) => ({ feature, from: row.factual.features[feature], to: changed[feature] }));
      const distances = { l0: changes.length, l1, l2: l1 * l1 };
      const all = { features: changed, prediction, score, changes, cost, distances, solver, proof };
      const box = { features: { age: region }, proof: { kind: 'proved', maximal: true } };
      const path = { length: l1, steps: [{ sample: 3, features: changed, prediction, score, changes, cost }] };
      const lever = levers && { lever: levers[0].lever };
      return {
        ...all,
        ...(region && { region: box }),
        ...lever,
        ...(cost > 1 && { path }),
        ...(l1 > 1 && { plausibility: { person: 0.25, answer: l1 } }),
      };
    });
    const tail = {
      attempts: attempts.map(([solver, outcome, ms]) => ({ solver, outcome, ms })),
      degraded: row.degraded,
      seed: 0,
      elapsedMs: row.elapsedMs,
    };
    const head = {
      schema: 'elsewise.result/v1',
      id: row.id,
      status: row.status,
      model: { name: 'credit', version: 3, digest: 'sha256:1' },
      policy: { name: 'retail', digest: 'sha256:2' },
      defaults: { bounds: 'background' },
      target: row.target,
      factual: row.factual,
      counterfactuals,
    };
    return { ...head, ...(reason && { reason }), ...(levers && { levers }), ...tail } as ResultDocument;
  });

/** What breaks one of the rules that columns go by. */
const DAMAGES: readonly ((result: ResultDocument, best: Counterfactual) => void)[] = [
  (result) => Object.assign(result, { seed: 7 }),
  (result) => Object.assign(result.model, { version: 4 }),
  (result) => Object.assign(result.policy, { name: 'other' }),
  (result) => Object.assign(result.defaults!, { weights: 'mad' }),
  (result) => Object.assign(result, { factual: null }),
  (result) => Object.assign(result.factual!.features, { more: 1 }),
  (result) => delete result.factual!.features.age,
  (_, best) => Object.assign(best.features, { more: 1 }),
  (_, best) => delete best.features.income,
  (_, best) => best.changes.push({ feature: 'age', from: 1, to: 2 }),
  (_, best) => best.changes.reverse(),
  (_, best) => Object.assign(best.distances, { l0: 99 }),
  (_, best) => Object.assign(best.proof, { lowerBound: null }),
  (_, best) => Object.assign(best.proof, { gap: null, kind: 'heuristic' }),
];

const anyResult = fc.tuple(usual, fc.option(fc.nat(DAMAGES.length - 1))).map(([result, damage]) => {
  const own = structuredClone(result);
  const [best] = own.counterfactuals;
  if (damage !== null && own.factual && best) DAMAGES[damage](own, best);
  return own;
});

const jsonOf = (result: ResultDocument) => JSON.stringify(result);

function roundTrip(results: readonly ResultDocument[]): string[] {
  const columns = new ResultColumns();
  for (const result of results) columns.add(result);
  return read(new ResultReader(columns.write())).map(textOf);
}

const read = (reader: ResultReader) => Array.from({ length: reader.rows }, () => reader.next());

const textOf = (result: ResultRow | string) => (typeof result === 'string' ? result : lineOf(result));

const linesOf = (results: readonly ResultDocument[]) => results.map((result) => `${jsonOf(result)}\n`).join('');

describe('results', () => {
  it('come back as they were', () => {
    fc.assert(
      fc.property(fc.array(usual, { maxLength: 20 }), (results) => {
        expect(roundTrip(results)).toEqual(results.map(jsonOf));
      }),
    );
  });

  it('come back when they are unlike all others, too', () => {
    fc.assert(
      fc.property(fc.array(anyResult, { maxLength: 20 }), (results) => {
        expect(roundTrip(results)).toEqual(results.map(jsonOf));
      }),
      { numRuns: 300 },
    );
  });

  it('come back from columns that were filled from other columns, under other ids', () => {
    fc.assert(
      fc.property(fc.array(fc.array(anyResult, { maxLength: 6 }), { maxLength: 4 }), (blocks) => {
        const copies = new ResultColumns();
        for (const results of blocks) {
          const columns = new ResultColumns();
          for (const result of results) columns.add(result);
          for (const found of read(new ResultReader(columns.write())))
            copies.add(typeof found === 'string' ? { ...JSON.parse(found), id: 'copy' } : found.withId('copy'));
        }
        const expected = blocks.flat().map((result) => jsonOf({ ...result, id: 'copy' }));
        expect(read(new ResultReader(copies.write())).map(textOf)).toEqual(expected);
      }),
      { numRuns: 200 },
    );
  });

  it('come back from a block, and a damaged block is refused by name', async () => {
    const results = fc.sample(anyResult, { numRuns: 50, seed: 1 });
    const block = packLines(linesOf(results));
    expect((await unpackLines(block, 'it')).toString()).toBe(linesOf(results));
    expect(read(openBlock(block)!).map(textOf)).toEqual(results.map(jsonOf));
    const torn = { ...block, data: block.data.subarray(0, -1) };
    await expect(unpackLines(torn, 'chunk 3')).rejects.toThrow(/^chunk 3: .*damaged/);
    expect(openBlock(torn)).toBeUndefined();
  });

  it('are made into lines with room for whatever else the process does', async () => {
    const [result] = fc.sample(usual, 1);
    const block = packLines(linesOf(Array.from({ length: 1000 }, () => result)));
    let turns = 0;
    const count = () => {
      turns++;
      counting = setImmediate(count);
    };
    let counting = setImmediate(count);
    await Promise.all(Array.from({ length: 4 }, () => unpackLines(block, 'it')));
    clearImmediate(counting);
    expect(turns).toBeGreaterThan((4 * 1000) / 100);
  });

  it('under their digest that are no results are refused as well', async () => {
    const data = brotliCompressSync(Buffer.from('nothing of the kind'));
    await expect(unpackLines({ data, digest: digestOfBytes(data) }, 'chunk 3')).rejects.toThrow(/^chunk 3: .*damaged/);
    expect(openBlock({ data, digest: digestOfBytes(data) })).toBeUndefined();
  });
});

/** Who adds a field to results adds it to the columns, where it would be lost otherwise. */
it('results have the fields that the columns know', () => {
  expect(Object.keys(resultSchema.shape).join(' ')).toBe(
    'schema id status model policy defaults target factual decision counterfactuals reason reasons levers targets attempts degraded limitedBy seed elapsedMs',
  );
  expect(Object.keys(counterfactualSchema.shape).join(' ')).toBe(
    'features prediction score band changes cost distances solver proof region lever target path plausibility',
  );
});
