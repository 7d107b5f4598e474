/** `/v1/explanations/:id/letter`: the letter to the person, as a page that prints or as text. */
import { z } from 'zod';
import { ElsewiseError } from '../../documents/error.js';
import { LANGUAGES } from '../../documents/labels/label-document.js';
import { parseDocument } from '../../documents/parse.js';
import { type OverlayInput, overlaySchema } from '../../documents/policy-document.js';
import type { ResultDocument } from '../../documents/result-document.js';
import { registeredPolicy } from '../../jobs/audit/find-policy.js';
import { loadPolicy, type Policy } from '../../policy/policy.js';
import type { LetterForm } from '../../report/letters/letter-template.js';
import type { Store } from '../../store/store.js';
import { chooseType } from '../accept.js';
import { checkReference } from '../references.js';
import { defineRoute } from '../route.js';
import { SCHEMAS } from '../schemas.js';

const FORMS: Readonly<Record<'text/html' | 'text/plain', LetterForm>> = { 'text/html': 'html', 'text/plain': 'text' };
const TYPES = Object.keys(FORMS) as (keyof typeof FORMS)[];
const MOST_TEXT = 200;
const MOST_OVERLAY = 20_000;
/** The letter has its own style and no script. A page of this server must not gain from it. */
const CONTENT_SECURITY_POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; sandbox allow-modals";
const text = z.string().max(MOST_TEXT).optional();

export const showLetter = defineRoute({
  id: 'showLetter',
  method: 'GET',
  path: '/v1/explanations/:id/letter',
  summary: 'The letter about an answer, in a language for people',
  access: 'read',
  isPage: true,
  params: z.strictObject({ id: z.string().min(1).max(200) }),
  query: z.strictObject({
    language: z.enum(LANGUAGES).default('en').describe('the language of the letter'),
    policy: z
      .string()
      .min(1)
      .optional()
      .describe(
        'the policy of the answer: letters then tell the numbers of its rules; found by its digest unless given',
      ),
    overlay: z
      .string()
      .max(MOST_OVERLAY)
      .optional()
      .describe('the wishes beside the policy, as JSON, if the answer was asked for with wishes'),
    subject: text.describe('the title of the letter'),
    sender: text.describe('the name of the sender'),
    contact: text.describe('whom to ask for a review'),
    date: z.iso.date().optional().describe('the date of the letter'),
    validUntil: z.iso.date().optional().describe('the last day on which the information holds'),
  }),
  headers: z.object({ accept: z.string().optional().describe('text/html, or text/plain') }),
  responses: {
    200: { description: 'the letter', type: 'text/html; charset=utf-8', others: ['text/plain; charset=utf-8'] },
    404: { description: 'not known, not answered yet, or expired', schema: SCHEMAS.problem },
    406: { description: 'no content type of letters is acceptable', schema: SCHEMAS.problem },
    409: { description: 'the answer is of another policy, or its row is invalid', schema: SCHEMAS.problem },
  },
  async answer({ params: { id }, query, headers, service: { answers, desk, store } }) {
    const type = chooseType(headers.accept, TYPES);
    const found = await answers.find(id);
    if (found === undefined || found === 'pending')
      throw new ElsewiseError('not-known', 'no answer of this id is stored (not yet, or no longer)', 'params.id');
    const result = JSON.parse(found) as ResultDocument;
    const { language, policy, overlay, ...details } = query;
    const known = await policyOf(store, result, policy, overlay);
    const form = FORMS[type];
    const body = await desk.letter({ result, language, form, policy: known?.document, details });
    const contentHeaders = { 'content-security-policy': CONTENT_SECURITY_POLICY, vary: 'accept' };
    return { status: 200, type: `${type}; charset=utf-8`, body, headers: contentHeaders };
  },
});

/** Undefined: the policy is not in the registry. The numbers of another policy would be false statements. */
async function policyOf(
  store: Store,
  result: ResultDocument,
  reference: string | undefined,
  overlay: string | undefined,
): Promise<Policy | undefined> {
  if (reference === undefined && overlay === undefined) return registeredPolicy(store, result.policy);
  checkReference(reference, 'query.policy');
  const base = await store.policies.accept(reference);
  const policy =
    overlay === undefined ? base : loadPolicy({ ...base.document, overlay: readOverlay(overlay) }, 'query.policy');
  if (policy.digest === result.policy.digest) return policy;
  throw new ElsewiseError(
    'conflict',
    `the answer is of the policy ${result.policy.digest}, not of ${policy.digest}`,
    'query.policy',
  );
}

function readOverlay(json: string): OverlayInput {
  try {
    return parseDocument(overlaySchema, JSON.parse(json), 'query.overlay');
  } catch (error) {
    if (error instanceof ElsewiseError) throw error;
    throw new ElsewiseError('bad-request', 'this is no JSON', 'query.overlay');
  }
}
