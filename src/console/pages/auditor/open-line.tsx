/** One line of the record, readable and raw: an answer, a removed answer, or a removal. */
import type { AuditLine, RecordedAnswer } from '../../../documents/audit-document.js';
import { formatNumber } from '../../../report/numbers.js';
import { Fact } from './fact.js';
import { isRemoval, timeOf } from './listed-line.js';
import { OpenRecord } from './open-record.js';

export function OpenLine({ line }: { line: AuditLine }) {
  return (
    <section class="card" aria-label={titleOf(line)}>
      {isRemoval(line) || !line.record ? <Removed line={line} /> : <OpenRecord record={line as RecordedAnswer} />}
      <details>
        <summary>Raw record</summary>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard */}
        <pre tabIndex={0}>{JSON.stringify(line, undefined, 2)}</pre>
      </details>
    </section>
  );
}

function titleOf(line: AuditLine): string {
  if (isRemoval(line)) return 'Removal of data';
  return line.record ? `Record of ${line.record.id}` : 'Removed answer';
}

function Removed({ line }: { line: AuditLine }) {
  return (
    <>
      <h2>{titleOf(line)}</h2>
      {isRemoval(line) ? (
        <p>
          The stored data of a row were removed with <code>elsewise forget</code>. Records taken out:{' '}
          {formatNumber(line.redacted.length)}.
        </p>
      ) : (
        <p>
          The answer was removed with <code>elsewise forget</code>. Its digest is left, and the chain still verifies.
          The check of the chain finds the entry that names the removal.
        </p>
      )}
      <dl class="facts">
        <Fact name="Asked by">{line.by ?? 'not known'}</Fact>
        <Fact name="Time (UTC)">{timeOf(line)}</Fact>
        <Fact name="Software">{line.software}</Fact>
        <Fact name="Entry">{isRemoval(line) ? line.number : `${line.number}, place ${line.index}`}</Fact>
        {isRemoval(line) && (
          <Fact name="Digest of the id">
            <code class="digest">{line.subject}</code>
          </Fact>
        )}
      </dl>
    </>
  );
}
