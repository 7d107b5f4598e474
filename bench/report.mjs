/**
 * `elsewise report` of a million results, and of the demo's. The results are those of the demo, repeated with ids, scores, incomes and costs of their own,
 * so that sketches and samples work as with real people. Each report is a process of its own, start-up included.
 *
 *   node bench/report.mjs [--results N]
 *
 * Goal: a million results in at most 60 s, 300 MB and 5 MB of HTML; the demo's results in at most 2 s.
 */
import { createWriteStream, readFileSync, statSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import { parseArgs } from 'node:util';
import { CLI, runProcess } from './end-to-end.mjs';
import { createRandom } from './random.mjs';

const GOAL = { seconds: 60, residentMb: 300, megabytes: 5, demoSeconds: 2 };
const CREDIT = new URL('../examples/credit/', import.meta.url).pathname;
const DOCUMENTS = ['--model', join(CREDIT, 'model.json'), '--policy', join(CREDIT, 'policy.json')];

const { values } = parseArgs({ options: { results: { type: 'string', default: '1000000' } } });
const folder = await mkdtemp(join(tmpdir(), 'elsewise-bench-'));
try {
  const [demo, many, page] = ['demo.ndjson', 'many.ndjson', 'report.html'].map((name) => join(folder, name));
  const input = join(CREDIT, 'applicants.csv');
  await runProcess([CLI, 'explain', ...DOCUMENTS, '--input', input, '--output', demo, '--quiet']);
  await repeat(readFileSync(demo, 'utf8').trimEnd().split('\n'), Number(values.results), many);
  tell('the demo', await measure(demo, page), GOAL.demoSeconds);
  tell(`${Number(values.results).toLocaleString('en-US')} results`, await measure(many, page), GOAL.seconds);
} finally {
  await rm(folder, { recursive: true, force: true });
}

async function measure(results, page) {
  const args = [CLI, 'report', results, '--output', page, ...DOCUMENTS, '--by', 'housing,age,income', '--quiet'];
  return { ...(await runProcess(args)), readMb: statSync(results).size / 1e6, megabytes: statSync(page).size / 1e6 };
}

async function repeat(lines, count, path) {
  const people = lines.map((line) => JSON.parse(line));
  const random = createRandom(15);
  const file = createWriteStream(path);
  for (let i = 0; i < count; i++) {
    const person = people[i % people.length];
    person.id = `p-${i}`;
    person.factual.score *= 0.98 + 0.02 * random();
    person.factual.features.income = Math.round(1000 + 4000 * random());
    for (const answer of person.counterfactuals) answer.cost *= 0.99 + 0.02 * random();
    if (!file.write(`${JSON.stringify(person)}\n`)) await new Promise((resolve) => file.once('drain', resolve));
  }
  await finished(file.end());
}

function tell(name, { seconds, cpuSeconds, residentMb, readMb, megabytes }, limit) {
  const isMet = seconds <= limit && residentMb <= GOAL.residentMb && megabytes <= GOAL.megabytes;
  const read = `${seconds.toFixed(1)} s (${cpuSeconds.toFixed(1)} s of processor time) for ${readMb.toFixed(0)} MB`;
  const limits = `goal: ${limit} s, ${GOAL.residentMb} MB, ${GOAL.megabytes} MB of HTML`;
  console.log(
    `${name}: ${read}, ${residentMb.toFixed(0)} MB, ${megabytes.toFixed(1)} MB of HTML (${limits}) ${isMet ? 'met' : 'MISSED'}`,
  );
}
