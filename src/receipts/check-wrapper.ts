/** The keys beside a receipt in a line of `receipts sign` are not signed. They have to repeat the signed payload. */
import type { ReceiptDocument, SignedReceipt } from '../documents/receipt-document.js';

export type ReceiptWrapper = Pick<SignedReceipt, 'id' | 'validUntil'>;

export function wrapperFaults({ id, validUntil }: ReceiptWrapper, receipt: ReceiptDocument): string[] {
  const faults: string[] = [];
  if (id !== receipt.id)
    faults.push(`the line names the id ${JSON.stringify(id)}, and the receipt is of ${JSON.stringify(receipt.id)}`);
  if (validUntil !== receipt.validUntil)
    faults.push(`the line names the last day ${validUntil}, and the receipt holds until ${receipt.validUntil}`);
  return faults;
}
