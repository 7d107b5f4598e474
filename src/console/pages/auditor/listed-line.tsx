/** A line of the record in a list: an answer, a removed answer, or a removal. */
import type { AuditLine } from '../../../documents/audit-document.js';
import { formatNumber } from '../../../report/numbers.js';

export const isRemoval = (line: AuditLine) => line.schema === 'elsewise.audit-redaction/v1';

export const placeOf = (line: AuditLine): string =>
  isRemoval(line) ? `${line.number}` : `${line.number}-${line.index}`;

/** Day and time of day. */
export const timeOf = ({ time }: AuditLine): string => time.slice(0, 19).replace('T', ' ');

export function ListedLine({ line }: { line: AuditLine }) {
  return (
    <>
      {isRemoval(line) ? <Removal count={line.redacted.length} /> : <Answer record={line.record} />}
      <time class="number">{timeOf(line)}</time>
    </>
  );
}

function Removal({ count }: { count: number }) {
  return (
    <>
      <strong>Removal</strong>
      <span class="quiet">records: {formatNumber(count)}</span>
    </>
  );
}

function Answer({ record }: { record: Exclude<AuditLine, { redacted: unknown }>['record'] }) {
  if (!record) return <span class="quiet">removed answer</span>;
  return (
    <>
      <strong>{record.id}</strong>
      <span class={record.status === 'already' ? 'yes' : 'no'}>
        {String(record.decision?.prediction ?? 'not read')}
      </span>
    </>
  );
}
