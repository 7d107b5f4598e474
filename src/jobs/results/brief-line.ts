/**
 * `--detail brief`: a result as a short line of NDJSON, without what the input row already has.
 *
 *   {"id":"a-17","status":"found","answers":[{"changes":{"income":2600},"score":0.52,"cost":0.78,"proof":"optimal"}],"plan":"..."}
 *
 * A line has the new values of the changed features only. The reason of a row without an answer is kept. `plan` is the short digest of model
 * and policy, by which `--resume` recognises its own file.
 */
import type { CounterfactualDocument, Reason, ResultDocument } from '../../documents/result-document.js';

export type BriefWriter = (result: ResultDocument) => string;

export function createBriefWriter(plan: string): BriefWriter {
  const tail = `,"plan":${JSON.stringify(plan)}}\n`;
  const keys = new Map<string, string>();
  const keyOf = (name: string): string => {
    const known = keys.get(name) ?? `${JSON.stringify(name)}:`;
    keys.set(name, known);
    return known;
  };
  return ({ id, status, counterfactuals, reason, limitedBy, degraded }) => {
    let line = `{"id":${JSON.stringify(id)},"status":"${status}"`;
    if (counterfactuals.length)
      line += `,"answers":[${counterfactuals.map((one) => answerText(one, keyOf)).join(',')}]`;
    if (reason) line += `,"reason":${JSON.stringify(briefly(reason))}`;
    if (limitedBy) line += `,"limitedBy":"${limitedBy}"`;
    return `${line}${degraded ? ',"degraded":true' : ''}${tail}`;
  };
}

const briefly = ({ code, path, message, faults }: Reason) => ({ code, path, message, faults });

function answerText(
  { changes, score, cost, proof: { kind, gap }, lever }: CounterfactualDocument,
  keyOf: (name: string) => string,
): string {
  let text = '';
  for (const { feature, to } of changes)
    text += `${text && ','}${keyOf(feature)}${typeof to === 'number' ? to : JSON.stringify(to)}`;
  text = `{"changes":{${text}},"score":${score},"cost":${cost},"proof":"${kind}"`;
  if (kind === 'gap') text += `,"gap":${gap}`;
  return lever === undefined ? `${text}}` : `${text},"lever":${JSON.stringify(lever)}}`;
}
