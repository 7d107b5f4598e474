/** The receipt of the shown answer, and the last day of its offers, where the server has keys for receipts. */
import type { SignedReceipt } from '../../../documents/receipt-document.js';
import { useLoaded } from '../../loading.js';
import { Outcome } from '../../parts/notice.js';
import { request } from '../../requests.js';

export function ReceiptLink({ id }: { id: string }) {
  const path = `/v1/explanations/${encodeURIComponent(id)}/receipt`;
  const loaded = useLoaded((signal) => readReceipt(path, signal), [path]);
  return (
    <Outcome of={loaded}>
      {(receipt) =>
        receipt && (
          <p class="quiet">
            <a href={path} download={`receipt-${id}.json`}>
              Receipt
            </a>
            : we stand by this answer until {receipt.validUntil} (UTC).
          </p>
        )
      }
    </Outcome>
  );
}

/** Undefined: the server has no keys. */
async function readReceipt(path: string, signal: AbortSignal): Promise<SignedReceipt | undefined> {
  const { keys } = await request<{ keys: readonly unknown[] }>('GET', '/.well-known/jwks.json', { signal });
  return keys.length ? request('GET', path, { signal }) : undefined;
}
