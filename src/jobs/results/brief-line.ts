/**
 * `--detail brief`: a result as a short line of NDJSON, without what the input row already has.
 *
 *   {"schema":"elsewise.brief/v1","model":{...},"policy":{...}}
 *   {"id":"a-17","status":"found","answers":[{"changes":{"income":2600},"score":0.52,"cost":0.78,"proof":"optimal"}]}
 *
 * `reasons` follow as `[{"feature":"income","contribution":-0.81,"alone":true}]`, where the policy asks for them. The first line names model and
 * policy for all lines. A line has the new values of the changed features only. The reason of a row without an answer is kept.
 */
import type {
  CounterfactualDocument,
  Proof,
  Reason,
  ReasonCode,
  ResultDocument,
} from '../../documents/result-document.js';
import type { LoadedModel } from '../../models/load.js';
import type { Policy } from '../../policy/policy.js';
import type { LineWriter } from './line-writer.js';

export const BRIEF_SCHEMA = 'elsewise.brief/v1';

export function createBriefWriter({ name, version, digest, space }: LoadedModel, policy: Policy): LineWriter {
  const header = {
    schema: BRIEF_SCHEMA,
    model: { name, version, digest },
    policy: { name: policy.name, digest: policy.digest },
  };
  const keys = new Map(space.features.map(({ name }) => [name, briefKey(name)]));
  return {
    header: `${JSON.stringify(header)}\n`,
    line({ id, status, counterfactuals, reason, reasons, limitedBy, degraded }) {
      let line = `{"id":${jsonText(id)}${STATUS[status]}`;
      if (counterfactuals.length) line += answersText(counterfactuals, keys);
      if (reason) line += `,"reason":${JSON.stringify(briefly(reason))}`;
      if (reasons) line += `,"reasons":${JSON.stringify(reasons.map(shortly))}`;
      if (limitedBy) line += `,"limitedBy":"${limitedBy}"`;
      return line + (degraded ? ',"degraded":true}\n' : '}\n');
    },
  };
}

/** Words that are joined once: every join of strings is an object, and a line has many. */
const STATUS: Readonly<Record<ResultDocument['status'], string>> = {
  found: ',"status":"found"',
  already: ',"status":"already"',
  infeasible: ',"status":"infeasible"',
  'not-found': ',"status":"not-found"',
  invalid: ',"status":"invalid"',
};
const PROOF: Readonly<Record<Proof['kind'], string>> = {
  optimal: ',"proof":"optimal"',
  gap: ',"proof":"gap"',
  heuristic: ',"proof":"heuristic"',
};
const FIRST_ANSWER = ',"answers":[{"changes":{';
const NEXT_ANSWER = '},{"changes":{';
const LAST_ANSWER = '}]';

/** Most ids need no escapes. A call for the others takes longer than a look at every character. */
function jsonText(text: string): string {
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code < SPACE || code > TILDE || code === QUOTE || code === BACKSLASH) return JSON.stringify(text);
  }
  return `"${text}"`;
}

const [SPACE, QUOTE, BACKSLASH, TILDE] = [0x20, 0x22, 0x5c, 0x7e];

const shortly = ({ feature, contribution, alone }: ReasonCode) => ({
  feature,
  contribution: rounded(contribution),
  alone,
});

/** The key of a changed feature, where it is the first of its answer and where others stand before it. */
interface BriefKey {
  readonly first: string;
  readonly next: string;
}

const briefKey = (name: string): BriefKey => ({ first: `${JSON.stringify(name)}:`, next: `,${JSON.stringify(name)}:` });

const briefly = ({ code, path, message, faults }: Reason) => ({ code, path, message, faults });

function answersText(answers: readonly CounterfactualDocument[], keys: ReadonlyMap<string, BriefKey>): string {
  let text = FIRST_ANSWER + answerText(answers[0], keys);
  for (let k = 1; k < answers.length; k++) text += NEXT_ANSWER + answerText(answers[k], keys);
  return text + LAST_ANSWER;
}

/** An answer behind the brace of its changes, and without its own last brace. */
function answerText(
  { changes, score, cost, proof: { kind, gap }, lever }: CounterfactualDocument,
  keys: ReadonlyMap<string, BriefKey>,
): string {
  let text = '';
  for (let k = 0; k < changes.length; k++) {
    const { feature, to } = changes[k];
    const { first, next } = keys.get(feature)!;
    text += (k ? next : first) + (typeof to === 'number' ? to : JSON.stringify(to));
  }
  text += `},"score":${rounded(score)},"cost":${rounded(cost)}${PROOF[kind]}`;
  if (kind === 'gap') text += `,"gap":${rounded(gap!)}`;
  return lever === undefined ? text : `${text},"lever":${JSON.stringify(lever)}`;
}

/** Scores and costs serve comparison: six digits are enough. The values of features are written whole. */
function rounded(value: number): number {
  const size = Math.abs(value);
  return size >= 0.1 && size < 1e9 ? Math.round(value * 1e6) / 1e6 : Number(value.toPrecision(6));
}

/** The id of a brief line; undefined if the line is none. */
export function briefId(line: string): string | undefined {
  const { id, status, schema } = JSON.parse(line) as Partial<ResultDocument>;
  return schema === undefined && status !== undefined ? id : undefined;
}
