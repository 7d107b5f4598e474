/** `/.well-known/jwks.json`: the public keys of receipts, for everybody. */
import { defineRoute } from '../route.js';
import { SCHEMAS } from '../schemas.js';

/** A receipt of a new key is unknown to others for at most this time. */
const MAX_AGE_S = 300;

export const showReceiptKeys = defineRoute({
  id: 'showReceiptKeys',
  method: 'GET',
  path: '/.well-known/jwks.json',
  summary: 'The public keys of receipts, as a JSON Web Key Set',
  access: 'anyone',
  worksAlone: true,
  responses: {
    200: {
      description: 'the keys; an empty list without `receipts.keys`',
      schema: SCHEMAS.receiptKeys,
      headers: { 'cache-control': 'how long the keys may be kept' },
    },
  },
  async answer({ service: { receipts } }) {
    const keys = receipts ? (await receipts.file.keys()).publicKeys : [];
    return { status: 200, body: { keys }, headers: { 'cache-control': `public, max-age=${MAX_AGE_S}` } };
  },
});
