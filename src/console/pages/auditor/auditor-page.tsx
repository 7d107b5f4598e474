/** The auditor's page: the record of answers, its chain, one answer and its repetition, and figures by group. */
import { useState } from 'preact/hooks';
import type { AuditLine } from '../../../documents/audit-document.js';
import { replaceAddress } from '../../address.js';
import type { PageProps } from '../../page.js';
import { Chain } from './chain.js';
import { FindRecords } from './find-records.js';
import { GroupFigures } from './group-figures.js';
import { placeOf } from './listed-line.js';
import { OpenLine } from './open-line.js';
import { ReceiptPanel } from './receipt-panel.js';

export function AuditorPage({ session, address }: PageProps) {
  const [open, setOpen] = useState<AuditLine | undefined>(undefined);
  const mayRead = session.roles.includes('admin') || session.roles.includes('read');
  const remember = (id: string) => replaceAddress({ page: 'audit', values: { id } });
  return (
    <>
      <h1>The record of answers</h1>
      <div class="audit">
        <div>
          <FindRecords given={address.values.id ?? ''} open={open} onFind={remember} onOpen={setOpen} />
          {open && <OpenLine key={placeOf(open)} line={open} />}
        </div>
        <div>
          <Chain />
          <ReceiptPanel />
        </div>
      </div>
      {mayRead && <GroupFigures />}
    </>
  );
}
