import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { reasonInWords } from '../../dist/explain/infeasible.js';
import { proofOf } from '../../dist/explain/result.js';
import { runBulk } from '../../dist/jobs/bulk/bulk.js';
import { SolverPool } from '../../dist/jobs/threads/pool.js';
import type { Finding } from '../../dist/jobs/verify/comparison.js';
import { type VerifyReport, verifyResults } from '../../dist/jobs/verify/verify-results.js';
import { loadModel } from '../../dist/models/load.js';
import { entriesOf } from '../../dist/policy/entries.js';
import { loadPolicy } from '../../dist/policy/policy.js';
import type { ResultDocument } from '../../src/documents/result-document.js';
import { Dice } from '../support/dice.js';
import { CREDIT, readLines, run, temporaryFolder, writeText } from './cli-process.js';
import { HEADER, MODEL, POLICY, rowsCsv } from './small-task.js';

const ROWS = 100;
const json = (name: string) => JSON.parse(readFileSync(join(CREDIT, name), 'utf8'));
const credit = { model: loadModel(json('model.json')), policy: loadPolicy(json('policy.json')) };
const [header, ...people] = readLines(join(CREDIT, 'applicants.csv')).slice(0, ROWS + 1);
const csvOf = (rows: readonly string[]) => [header, ...rows].join('\n');

let pool: SolverPool;
let results: string[];

beforeAll(async () => {
  pool = new SolverPool({ threads: 2 });
  results = await explain(csvOf(people));
});
afterAll(() => pool.close());

type Plan = typeof credit;

/** In two parts, which do not end with a line. */
function source(text: string, name = 'rows.csv') {
  const bytes = Buffer.from(text);
  const parts = [bytes.subarray(0, bytes.length / 2), bytes.subarray(bytes.length / 2)];
  const stream = {
    async *[Symbol.asyncIterator]() {
      yield* parts;
    },
  };
  return { name, bytes: stream, size: bytes.length };
}

async function explain(rows: string, plan: Plan = credit): Promise<string[]> {
  const written: Uint8Array[] = [];
  const sink = { write: async (bytes: Uint8Array) => void written.push(bytes), close: async () => {} };
  const output = { format: 'ndjson', header: '', open: async () => sink } as const;
  await runBulk({ kind: 'explain', ...plan, input: source(rows), output, pool });
  return Buffer.concat(written).toString().trimEnd().split('\n');
}

interface Verified extends VerifyReport {
  readonly findings: readonly Finding[];
  readonly ids: readonly string[];
}

async function verify(lines: readonly string[], rows?: string, plan: Plan = credit): Promise<Verified> {
  const findings: Finding[] = [];
  const report = await verifyResults({
    ...plan,
    pool,
    results: source(lines.join('\n'), 'results.ndjson'),
    input: rows === undefined ? undefined : source(rows),
    onFinding: async (finding) => void findings.push(finding),
  });
  return { ...report, findings, ids: findings.map(({ id }) => id) };
}

const idOf = (line: string): string => (JSON.parse(line) as ResultDocument).id;

/** Another digit at a random place of the text, outside of the ranges that a pattern excludes. */
function withOtherDigit(text: string, dice: Dice, excluded?: RegExp): string {
  const skipped = excluded
    ? [...text.matchAll(excluded)].map(({ index, 0: found }) => [index, index + found.length])
    : [];
  const isFree = (at: number) => !skipped.some(([from, to]) => at >= from && at < to);
  const places = [...text.matchAll(/\d/g)].map(({ index }) => index).filter(isFree);
  const at = dice.pick(places);
  return `${text.slice(0, at)}${(Number(text[at]) + dice.integer(1, 9)) % 10}${text.slice(at + 1)}`;
}

/** Times are not compared. Versions are null here. */
const TIMES = /"(ms|elapsedMs)":[0-9.e+-]+/g;

describe('verification', () => {
  it('finds the same bytes, from the rows and from the results', async () => {
    for (const rows of [csvOf(people), undefined]) {
      const { counts, withoutRow, findings } = await verify(results, rows);
      expect([counts, withoutRow, findings]).toEqual([{ same: ROWS, unsolved: 0, excused: 0, differing: 0 }, 0, []]);
    }
  });

  it('finds a changed digit anywhere in an answer', async () => {
    const dice = new Dice(5);
    for (let round = 0; round < 5; round++) {
      // the first line keeps its digests: another digest there ends the whole run
      const changed = results.map((line, k) => (k === 0 ? line : withOtherDigit(line, dice, TIMES)));
      const { ids, counts } = await verify(changed, csvOf(people));
      expect(ids).toEqual(results.slice(1).map(idOf));
      expect(counts).toEqual({ same: 1, unsolved: 0, excused: 0, differing: ROWS - 1 });
    }
  });

  it('finds a changed character anywhere in an answer', async () => {
    const dice = new Dice(6);
    const spoil = (line: string) => {
      const times = [...line.matchAll(TIMES)].map(({ index, 0: found }) => [index, index + found.length]);
      for (;;) {
        const at = dice.integer(0, line.length - 1);
        const character = String.fromCharCode(dice.integer(32, 126));
        if (line[at] !== character && !times.some(([from, to]) => at >= from && at < to))
          return `${line.slice(0, at)}${character}${line.slice(at + 1)}`;
      }
    };
    const { ids } = await verify([results[0], ...results.slice(1).map(spoil)], csvOf(people));
    expect(ids).toEqual(results.slice(1).map(idOf));
  });

  it('names the result with a key that no document may have, and goes on', async () => {
    const at = (k: number, spoil: (line: string) => string) =>
      results.map((line, index) => (index === k ? spoil(line) : line));
    const first = await verify(
      at(3, (line) => line.replace('{', '{"__proto__":{"a":1},')),
      csvOf(people),
    );
    expect(first.findings).toMatchObject([{ id: idOf(results[3]), faults: ['__proto__: this key is not allowed'] }]);
    expect(first.counts).toMatchObject({ same: ROWS - 1, differing: 1 });
    const nested = await verify(
      at(5, (line) => line.replace('"factual":{', '"factual":{"__proto__":{"a":1},')),
      undefined,
    );
    expect(nested.findings[0].faults).toEqual(['factual.__proto__: this key is not allowed']);
  });

  it('finds a changed digit anywhere in a row', async () => {
    const dice = new Dice(7);
    const { ids } = await verify(results, csvOf(people.map((row) => withOtherDigit(row, dice))));
    expect(ids).toHaveLength(ROWS);
  });

  it('finds a changed digit anywhere in model and policy', async () => {
    const dice = new Dice(8);
    for (const kind of ['model', 'policy'] as const) {
      const load = kind === 'model' ? loadModel : loadPolicy;
      const text = JSON.stringify(json(`${kind}.json`));
      for (let k = 0; k < 60; k++) {
        const changed = withOtherDigit(text, dice);
        const verified = async () => {
          const document: unknown = JSON.parse(changed);
          // a number may be spelled in digits that no double can tell apart: the model is then the same one
          if (JSON.stringify(document) === text) throw new Error(kind);
          return verify(results.slice(0, 1), undefined, { ...credit, [kind]: load(document) });
        };
        await expect(verified()).rejects.toThrow(new RegExp(`${kind}|in JSON|schema|probe`, 'i'));
      }
    }
  });

  it('tells the place and both values, and the fault of the answer itself', async () => {
    const given = JSON.parse(results.find((line) => line.includes('"found"'))!) as ResultDocument;
    const { score, features } = given.counterfactuals[0];
    given.counterfactuals[0].score = 0.999;
    const [first] = (await verify([JSON.stringify(given)])).findings;
    expect(first.differences).toEqual([{ path: 'counterfactuals[0].score', before: '0.999', after: String(score) }]);
    expect(first.faults).toEqual([`counterfactuals[0].score is 0.999, and the model and policy give ${score}`]);
    given.counterfactuals[0] = { ...given.counterfactuals[0], score, features: { ...features, age: 99 } };
    const [second] = (await verify([JSON.stringify(given)])).findings;
    expect(second.faults).toEqual(['counterfactuals[0]: the answer does not hold: age must not change']);
  });

  it('tells spelling apart from values', async () => {
    const { findings } = await verify([results[0].replace('"seed":7', '"seed":7.0')]);
    expect(findings[0].differences).toEqual([]);
    expect(findings[0].faults[0]).toMatch(/^the same values in other bytes, from character \d+: "\.0,/);
  });

  it('excuses another answer where time ended a search, as long as the answer holds', async () => {
    const found = JSON.parse(results.find((line) => line.includes('"optimal"'))!) as ResultDocument;
    const limited: ResultDocument = { ...found, degraded: true, limitedBy: 'time' };
    limited.counterfactuals[0].proof = { kind: 'heuristic', lowerBound: null, gap: null };
    const check = async (result: object) => (await verify([JSON.stringify(result)])).findings[0];
    expect(await check(limited)).toMatchObject({ kind: 'excused', excuse: 'limited by time', faults: [] });
    expect(await check({ ...limited, seed: 8 })).toMatchObject({ kind: 'differing' });
    const [answer] = limited.counterfactuals;
    const cheap = { ...limited, counterfactuals: [{ ...answer, cost: answer.cost / 2 }] };
    expect((await check(cheap)).faults[0]).toContain('counterfactuals[0].cost is');
    const proof = { kind: 'gap', lowerBound: 2 * answer.cost, gap: 0.1 };
    const proved = { ...limited, counterfactuals: [{ ...answer, proof }] };
    expect((await check(proved)).faults[0]).toMatch(/the lower bound .* is wrong/);
    const denied = { ...limited, status: 'infeasible', counterfactuals: [] };
    expect((await check(denied)).faults).toEqual([`an answer of cost ${answer.cost} exists`]);
  });

  describe('counts a result that time ended as different', () => {
    const asked = { ...credit, policy: loadPolicy({ ...json('policy.json'), region: true }) };
    const limited = { degraded: true, limitedBy: 'time' as const };
    const heuristic = { kind: 'heuristic', lowerBound: null, gap: null } as const;
    let solved: ResultDocument[];
    beforeAll(async () => {
      solved = (await explain(csvOf(people), asked)).map((line) => JSON.parse(line) as ResultDocument);
    });
    const check = async (result: object) => (await verify([JSON.stringify(result)], undefined, asked)).findings[0];
    const withAnswer = (result: ResultDocument, change: object): ResultDocument => {
      const [answer] = result.counterfactuals;
      return { ...result, ...limited, counterfactuals: [{ ...answer, proof: heuristic, ...change }] };
    };

    it('where its box is not proved', async () => {
      const listed = ({ counterfactuals: [answer] }: ResultDocument) => answer?.region?.features.collateral;
      const found = solved.find((result) => {
        const values = listed(result);
        return values && 'in' in values && values.in.length === 2;
      })!;
      const [{ region, features: answer }] = found.counterfactuals;
      const box = (values: object, maximal = false) =>
        check(
          withAnswer(found, {
            region: { features: { ...region!.features, ...values }, proof: { kind: 'proved', maximal } },
          }),
        );
      expect(await box({}, region!.proof.maximal)).toMatchObject({ kind: 'excused' });
      expect(await box({ collateral: { in: [answer.collateral] } })).toMatchObject({ kind: 'excused' });
      const notMaximal = await box({ collateral: { in: [answer.collateral] } }, true);
      expect(notMaximal.faults).toEqual(['counterfactuals[0].region: the box is not proved to be maximal']);
      const wide = await box({ collateral: { in: ['none', 'partial', 'full'] } });
      expect(wide.faults).toEqual(['counterfactuals[0].region: not every point of the box is proved to be an answer']);
      const noBox = ['counterfactuals[0].region: the box is no box of permitted values around the answer'];
      const others = [{ collateral: { in: ['gold'] } }, { age: { from: 1, to: 99 } }, { collateral: { from: 0 } }];
      for (const other of others) expect((await box(other)).faults).toEqual(noBox);
      const number = Object.entries(region!.features).find(([, values]) => !('in' in values));
      if (number) expect((await box({ [number[0]]: {} })).faults[0]).toContain('counterfactuals[0].region');
    });

    it('where its bound, its status or a lost row claims more', async () => {
      const found = solved.find(({ counterfactuals: [answer] }) => answer?.proof.kind === 'optimal')!;
      const [{ cost }] = found.counterfactuals;
      const wrong = await check(withAnswer(found, { proof: { kind: 'optimal', lowerBound: cost / 2, gap: 0 } }));
      expect(wrong.faults).toEqual(['counterfactuals[0].proof: kind, bound and gap do not fit the cost']);
      const empty = await check({ ...found, ...limited, counterfactuals: [] });
      expect(empty.faults).toEqual(['the status is found, and the result has 0 answers']);
      const reason = { code: 'overran', message: 'stopped' };
      const lost = await check({ ...found, reason, degraded: true });
      expect(lost).toMatchObject({
        kind: 'differing',
        faults: ['the row was lost (overran), and the result claims more'],
      });
    });

    it('where its reason is not proved', async () => {
      const relaxable = ({ reason }: ResultDocument) =>
        typeof reason?.relaxation === 'object' && reason.relaxation !== null;
      const found = solved.find(relaxable)!;
      const reason = found.reason!;
      const relaxation = reason.relaxation as Exclude<typeof reason.relaxation, undefined | null | string>;
      const because = async (change: Partial<typeof reason>) => {
        const given = { ...reason, ...change };
        const message = reasonInWords(given.blocking!, given.minimal, given.relaxation!, []);
        return check({ ...found, ...limited, reason: { ...given, message, ...(change.message && change) } });
      };
      expect(await because({})).toMatchObject({ kind: 'excused' });
      expect(await because({ relaxation: 'undetermined' })).toMatchObject({ kind: 'excused' });
      const weaker = { ...relaxation, proof: heuristic };
      expect(await because({ relaxation: weaker })).toMatchObject({ kind: 'excused' });
      const all = entriesOf(asked.policy.document);
      const more = all.find((entry) => !reason.blocking!.includes(entry))!;
      expect(await because({ blocking: [...reason.blocking!, more], minimal: 'undetermined' })).toMatchObject({
        kind: 'excused',
      });
      const faults = async (change: Partial<typeof reason>) => (await because(change)).faults.join();
      expect(await faults({ blocking: [...reason.blocking!, more], minimal: true })).toContain('needed');
      expect(await faults({ blocking: [more] })).toContain('not proved to block');
      expect(await faults({ relaxation: null })).toContain('reason.relaxation');
      const [change] = relaxation.changes;
      const small = [{ ...change, to: change.from }, ...relaxation.changes.slice(1)];
      expect(await faults({ relaxation: { ...weaker, changes: small } })).toContain('reason.relaxation');
      expect(await faults({ relaxation: { ...weaker, cost: relaxation.cost / 2 } })).toContain('the cost is');
      expect(await faults({ relaxation: { ...weaker, entry: more } })).toContain('reason.relaxation');
      const bound = proofOf(relaxation.cost, relaxation.cost);
      const dear = { ...relaxation, proof: { ...bound, lowerBound: relaxation.cost * 2 } };
      expect(await faults({ relaxation: dear })).toContain('does not prove the bound');
      expect(await faults({ message: 'no reason' })).toContain('reason.message');
    });
  });

  it('excuses rows that were lost', async () => {
    const { model, policy, seed, target, id, schema } = JSON.parse(results[0]) as ResultDocument;
    const reason = { code: 'overran', message: 'stopped' };
    const lost = { schema, id, status: 'not-found', model, policy, target: null, factual: null, counterfactuals: [] };
    const line = JSON.stringify({ ...lost, reason, attempts: [], degraded: true, seed, elapsedMs: 0 });
    expect(target).toBe('approved');
    expect((await verify([line])).counts).toMatchObject({ unsolved: 1, differing: 0 });
    const { findings } = await verify([line], csvOf(people.slice(0, 1)));
    expect(findings).toMatchObject([{ kind: 'excused', excuse: 'lost (overran)' }]);
  });

  it('needs the rows for invalid ones', async () => {
    const plan = { model: loadModel(MODEL), policy: loadPolicy(POLICY) };
    const rows = `${HEADER}\na,many,30,Köln\nb,1000,30,Köln`;
    const lines = await explain(rows, plan);
    expect((await verify(lines, undefined, plan)).counts).toEqual({ same: 1, unsolved: 1, excused: 0, differing: 0 });
    expect((await verify(lines, rows, plan)).counts).toMatchObject({ same: 2 });
    const changed = lines.map((line) => line.replace('many', 'none'));
    expect((await verify(changed, rows, plan)).ids).toEqual(['a']);
  });

  it('counts rows without a result and results without a row', async () => {
    const few = await verify(results.slice(0, 60), csvOf(people));
    expect([few.counts.same, few.counts.differing]).toEqual([60, 40]);
    expect(few.findings.at(-1)!.faults).toEqual(['the row has no result']);
    const many = await verify(results, csvOf(people.slice(0, 60)));
    expect([many.counts.same, many.withoutRow]).toEqual([60, 40]);
  });

  it('takes the version of a result for a model without one', async () => {
    const versioned = results[0].replace('"version":null', '"version":3');
    expect((await verify([versioned])).counts.same).toBe(1);
    const third = { ...credit, model: loadModel(json('model.json'), { version: 3 }) };
    expect((await verify([versioned], undefined, third)).counts.same).toBe(1);
    const fourth = { ...credit, model: loadModel(json('model.json'), { version: 4 }) };
    expect((await verify([versioned], undefined, fourth)).ids).toHaveLength(1);
  });

  it('checks levers, counts, regions and targets of rows', async () => {
    const asked = { count: 3, region: true, levers: { money: ['income'], age: ['age'] }, features: {} };
    const plan = { model: loadModel(MODEL), policy: loadPolicy({ ...POLICY, ...asked }) };
    const rows = rowsCsv(20)
      .replace(HEADER, `${HEADER},target`)
      .replaceAll(/(Köln|Paris)\n/g, '$1,yes\n');
    const lines = await explain(rows, plan);
    expect(lines[0]).toContain('"lever":"money"');
    for (const given of [rows, undefined])
      expect((await verify(lines, given, plan)).counts).toMatchObject({ same: 20, differing: 0 });
  });
});

describe('elsewise verify', () => {
  const files = ['--model', join(CREDIT, 'model.json'), '--policy', join(CREDIT, 'policy.json')];

  it('ends with 0 and a summary, or with 1 and the ids', async () => {
    const folder = temporaryFolder();
    const good = writeText(folder, 'good.ndjson', `${results.join('\n')}\n`);
    const same = await run(['verify', good, ...files]);
    expect([same.code, same.stdout]).toEqual([0, '']);
    // a busy machine also tells its progress
    expect(same.stderr).toMatch(/^(\[#.*\n)*100 results in .* s: 100 same, 0 differing\n$/);
    const bad = writeText(folder, 'bad.ndjson', results.join('\n').replace('"seed":7', '"seed":8'));
    const other = await run(['verify', bad, ...files, '--quiet']);
    expect([other.code, other.stderr]).toEqual([1, '']);
    expect(other.stdout).toBe(`${idOf(results[0])}: seed: 8 in the results, 7 when solved again\n`);
  });

  it('refuses results that leave out values, and results of another plan', async () => {
    const folder = temporaryFolder();
    const refusal = async (name: string, text: string, ...options: string[]) => {
      const { code, stderr } = await run(['verify', writeText(folder, name, text), ...files, ...options]);
      expect(code).toBe(2);
      return stderr;
    };
    const needs = 'whole results are needed: NDJSON (.ndjson) of explain or batch wait, without --detail brief';
    expect(await refusal('results.csv', 'id\n')).toContain(`is CSV: ${needs}`);
    expect(await refusal('brief.ndjson', '{"schema":"elsewise.brief/v1"}\n')).toContain(`has brief lines: ${needs}`);
    expect(await refusal('rows', 'id,income\n')).toContain(`its first line is no result: ${needs}`);
    expect(await refusal('good.ndjson', results[0], '--count', '2')).toMatch(/is of the policy sha256:/);
    const { code, stderr } = await run(['verify', '-', ...files], results[0]);
    expect([code, stderr]).toEqual([2, expect.stringContaining('RESULTS on standard input need --input FILE')]);
  });
});
