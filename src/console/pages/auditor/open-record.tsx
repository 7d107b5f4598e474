/** One answer of the record: readable, and its row solved again. */
import type { AuditedAnswer, RecordedAnswer } from '../../../documents/audit-document.js';
import { formatFigure } from '../../../report/numbers.js';
import { formatScore, nameInWords, valueInWords } from '../../../report/words.js';
import { Fact } from './fact.js';
import { timeOf } from './listed-line.js';
import { ReplayPanel } from './replay-panel.js';

const STATUSES: Readonly<Record<AuditedAnswer['status'], string>> = {
  found: 'has the answers below',
  already: 'has the target already',
  infeasible: 'has no answer that the policy permits: proved',
  'not-found': 'has no known answer: nothing was found, nothing was proved',
  invalid: 'could not be read',
};
const PROOFS = { optimal: 'proved cheapest', gap: 'bound known', heuristic: 'no proof' };

export function OpenRecord({ record }: { record: RecordedAnswer }) {
  const { record: answer, model, policy } = record;
  const { decision, answers, reason } = answer;
  return (
    <>
      <div class="title">
        <h2>{answer.id}</h2>
        <span class={`badge ${answer.status === 'already' ? 'yes-badge' : 'no-badge'}`}>
          {String(decision?.prediction ?? 'not read')}
        </span>
      </div>
      <p>
        The row {STATUSES[answer.status]}.{decision && ` Score ${formatScore(decision.score)}`}
        {record.threshold !== null && `, threshold ${formatScore(record.threshold)}`}
      </p>
      {answers.length > 0 && (
        <ol class="answers">
          {answers.map((one, k) => (
            <li key={k}>
              <span>
                {Object.entries(one.changes)
                  .map(([feature, to]) => `${nameInWords(feature)}: ${valueInWords(to)}`)
                  .join(', ')}
              </span>
              <span class="number">cost {formatFigure(one.cost)}</span>
              <span class={one.proof.kind === 'optimal' ? 'badge yes-badge' : 'badge'}>{PROOFS[one.proof.kind]}</span>
            </li>
          ))}
        </ol>
      )}
      {reason && (
        <p>
          Reason <code>{reason.code}</code>
          {reason.blocking?.length ? `, blocked by ${reason.blocking.join(', ')}` : ''}
        </p>
      )}
      <dl class="facts">
        <Fact name="Asked by">{record.by ?? 'not known'}</Fact>
        <Fact name="Time (UTC)">{timeOf(record)}</Fact>
        <Fact name="Model">
          {model.name} {model.version ?? ''} <code title={model.digest}>{shortDigest(model.digest)}</code>
        </Fact>
        <Fact name="Policy">
          {policy.name} <code title={policy.digest}>{shortDigest(policy.digest)}</code>
        </Fact>
        <Fact name="Software">{record.software}</Fact>
        <Fact name="Entry">
          {record.number}, place {record.index}
          {record.batch && `, batch ${record.batch}`}
        </Fact>
      </dl>
      <ReplayPanel record={record} />
    </>
  );
}

const shortDigest = (digest: string): string => digest.replace('sha256:', '').slice(0, 12);
