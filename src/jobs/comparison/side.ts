/** The parts of a comparison that run in a solver thread: reading a policy and rows from outside, and comparing the results. */
import { ElsewiseError } from '../../documents/error.js';
import { ofRequest } from '../../documents/nesting.js';
import { checkPolicy } from '../../explain/checks/policy-faults.js';
import { changePolicy } from '../../policy/change/change-policy.js';
import { loadPolicy, type Policy } from '../../policy/policy.js';
import { ComparisonCollector } from '../../report/comparison/comparison-collector.js';
import { PersonResultReader } from '../../report/summary/person-result.js';
import { headerFeatures } from '../rows/csv.js';
import { requireTarget } from '../rows/required-target.js';
import { RowSource } from '../rows/row-source.js';
import type { OpenedSide, PairTask, SideTask } from '../threads/messages.js';
import { readSharedModel } from '../threads/shared-documents.js';
import { readPeople } from './result-rows.js';

export async function openSide({ model: shared, policy, change, text, mostRows }: SideTask): Promise<OpenedSide> {
  const model = readSharedModel(shared);
  const changed = changedPolicy(policy, change);
  checkPolicy(changed.document, model);
  if (!text) return { policy: changed };
  const source = await RowSource.open(once(text), 'rows', headerFeatures(model));
  requireTarget(changed.document, source, model.classes);
  const parts: Buffer[] = [];
  let rows = 0;
  for (let chunk = await source.take(mostRows + 1); chunk; chunk = await source.take(mostRows + 1)) {
    parts.push(chunk.bytes);
    rows += chunk.rows;
    if (rows > mostRows) throw new ElsewiseError('too-large', `at most ${mostRows} rows are compared`, 'body.rows');
  }
  return { policy: changed, rows: { layout: source.layout, bytes: new Uint8Array(Buffer.concat(parts)) } };
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

/** The policy is untrusted and is checked before its change. */
function changedPolicy(document: unknown, change: SideTask['change']): Policy {
  try {
    const policy = loadPolicy(document);
    return change.allow || change.merge !== undefined ? changePolicy(policy.document, change, 'change') : policy;
  } catch (error) {
    throw ofRequest(error);
  }
}

/** The bytes of the document. The lines of both sides are of the same rows. */
export function pairResults({ before, after, options }: PairTask): Uint8Array {
  const collector = new ComparisonCollector(options);
  const others = readPeople(new PersonResultReader(), after);
  for (const person of readPeople(new PersonResultReader(), before)) {
    collector.read(person);
    collector.add(person, others.next().value!);
  }
  return new Uint8Array(Buffer.from(JSON.stringify(collector.summarise())));
}
