/**
 * THE TABLE of output formats: a result as one line of text.
 *
 *   ndjson  the result document
 *   csv     id, status, target, cost, proof, solver, one column per feature, degraded, reason, plan
 *           Cost, proof, solver and features are those of the cheapest answer, empty without an answer. A target that is
 *           no class is JSON, a reason is `code: message`. `plan` names model and policy, for `--resume`. A feature whose
 *           name is already used has the column `features.NAME`. Where the policy names levers, further columns follow the
 *           features: `lever` of the cheapest answer, and `levers.NAME` with status, changes and cost of each lever's cheapest answer.
 */
import type { RowValue } from '../../documents/model-document.js';
import type { ResultDocument } from '../../documents/result-document.js';
import type { LoadedModel } from '../../models/load.js';
import type { Policy } from '../../policy/policy.js';
import type { OutputFormat } from '../threads/messages.js';
import { planDigest } from '../threads/shared-documents.js';

export interface LineWriter {
  /** The first line; empty if the format has none. */
  readonly header: string;
  line(result: ResultDocument): string;
}

const BEFORE_FEATURES = ['id', 'status', 'target', 'cost', 'proof', 'solver'];
const BEHIND_FEATURES = ['degraded', 'reason', 'plan'];

export function createResultWriter(format: OutputFormat, model: LoadedModel, policy: Policy): LineWriter {
  return WRITERS[format](model, policy);
}

const BEFORE_ID = '{"schema":"elsewise.result/v1","id":';
/** The id, then the status, at the start of each of our NDJSON lines. */
const HEAD = /"(?:[^"\\]|\\.)*"(?=,"status":"([a-z-]+)")/y;

/** The NDJSON line for another row of the same content. */
export function withId(line: string, id: string): string {
  return `${BEFORE_ID}${JSON.stringify(id)}${line.slice(readHead(line).idEnd)}`;
}

/** The status of an NDJSON line, without parsing the rest. */
export function statusOf(line: string): ResultDocument['status'] {
  return readHead(line).status;
}

function readHead(line: string): { idEnd: number; status: ResultDocument['status'] } {
  HEAD.lastIndex = BEFORE_ID.length;
  const found = line.startsWith(BEFORE_ID) ? HEAD.exec(line) : null;
  if (!found) throw new Error('the line is no result');
  return { idEnd: BEFORE_ID.length + found[0].length, status: found[1] as ResultDocument['status'] };
}

const WRITERS: Readonly<Record<OutputFormat, (model: LoadedModel, policy: Policy) => LineWriter>> = {
  ndjson: () => ({ header: '', line: (result) => `${JSON.stringify(result)}\n` }),
  csv: createCsvWriter,
};

function createCsvWriter(model: LoadedModel, policy: Policy): LineWriter {
  const plan = planDigest(model.digest, policy.digest);
  const names = model.space.features.map(({ name }) => name);
  const levers = Object.keys(policy.document.levers ?? {});
  const leverColumns = levers.length ? ['lever', ...levers.map((lever) => `levers.${lever}`)] : [];
  const taken = new Set([...BEFORE_FEATURES, ...leverColumns, ...BEHIND_FEATURES]);
  const columns = names.map((name) => (taken.has(name) ? `features.${name}` : name));
  return {
    header: csvLine([...BEFORE_FEATURES, ...columns, ...leverColumns, ...BEHIND_FEATURES]),
    line: (result) => csvLine([...csvFields(result, names, levers), plan]),
  };
}

function csvFields(result: ResultDocument, names: readonly string[], levers: readonly string[]): RowValue[] {
  const best = result.counterfactuals.at(0);
  const { target, reason } = result;
  return [
    result.id,
    result.status,
    typeof target === 'string' || target === null ? target : JSON.stringify(target),
    best?.cost ?? null,
    best?.proof.kind ?? null,
    best?.solver ?? null,
    ...names.map((name) => best?.features[name] ?? null),
    ...(levers.length ? [best?.lever ?? null, ...levers.map((lever) => leverField(result, lever))] : []),
    result.degraded,
    reason ? `${reason.code}: ${reason.message}` : null,
  ];
}

/** `found: income 2100 -> 2600 (cost 5, optimal)`, or `infeasible: ` and the reason. */
function leverField({ levers = [], counterfactuals }: ResultDocument, name: string): string | null {
  const own = levers.find(({ lever }) => lever === name);
  const best = counterfactuals.find(({ lever }) => lever === name);
  if (!own) return null;
  if (!best) return `${own.status}: ${own.reason?.message ?? ''}`;
  const changes = best.changes.map(({ feature, from, to }) => `${feature} ${from ?? ''} -> ${to ?? ''}`).join('; ');
  return `found: ${changes} (cost ${best.cost}, ${best.proof.kind})`;
}

function csvLine(fields: readonly RowValue[]): string {
  return `${fields.map((field) => (field === null ? '' : quote(String(field)))).join(',')}\n`;
}

function quote(field: string): string {
  return /[",\r\n]/.test(field) ? `"${field.replaceAll('"', '""')}"` : field;
}
