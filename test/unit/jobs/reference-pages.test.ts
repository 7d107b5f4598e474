/** docs/policy.md, model.md, result.md and messages.md are what the schemas say, and their examples load. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { z } from 'zod';
import { PAGES } from '../../../scripts/reference-examples.mjs';
import { referencePages, type Section, sectionsOf } from '../../../scripts/reference-pages.mjs';
import { labelsSchema } from '../../../src/documents/labels/label-document.js';
import { parseDocument } from '../../../src/documents/parse.js';
import { receiptSchema, signedReceiptSchema } from '../../../src/documents/receipt-document.js';
import { resultSchema } from '../../../src/documents/result-document.js';
import { createPlan } from '../../../src/explain/plan.js';
import * as contract from '../../../src/jobs/contract.js';
import { jsonSchemas } from '../../../src/jobs/schemas.js';
import { webhookSchema } from '../../../src/jobs/webhooks/webhook-document.js';
import { families } from '../../../src/models/index.js';
import { loadModel } from '../../../src/models/load.js';
import { loadPolicy } from '../../../src/policy/policy.js';
import { manifestSchema } from '../../../src/store/batches/manifest.js';
import { letterSchema } from '../../../src/store/events/dead-store.js';

type Json = Record<string, unknown>;

const schemas = jsonSchemas();

const FEATURES = [
  { name: 'age', type: 'integer', min: 18, max: 100 },
  { name: 'income', type: 'continuous', min: 0 },
  { name: 'housing', type: 'categorical', categories: ['own', 'rent', 'free'] },
];
const SAMPLES = Array.from({ length: 24 }, (_, i) => [25 + i, 1500 + 70 * i, ['own', 'rent', 'free'][i % 3]]);
const parameters = { weights: [0.01, 0.002, 0, 0, 0], bias: -5 };
const common = { schema: 'elsewise.model/v1', name: 'credit', features: FEATURES, background: { samples: SAMPLES } };
const CLASSIFIER = { ...common, family: 'logistic-regression', classes: ['rejected', 'approved'], parameters };
const REGRESSOR = { ...common, family: 'linear-regression', parameters };

const LOADERS: Record<string, (document: Json) => unknown> = {
  policy: (document) => {
    const isNumber = typeof document.target === 'object' && 'value' in (document.target as Json);
    return createPlan(loadModel(isNumber ? REGRESSOR : CLASSIFIER), loadPolicy(document));
  },
  model: loadModel,
  labels: parsedBy(labelsSchema),
  result: parsedBy(resultSchema),
  receipt: parsedBy(receiptSchema),
  'signed-receipt': parsedBy(signedReceiptSchema),
  request: parsedBy(contract.requestSchema),
  'event-job': parsedBy(contract.eventJobSchema),
  'event-return': parsedBy(contract.eventReturnSchema),
  batch: parsedBy(manifestSchema),
  'chunk-job': parsedBy(contract.chunkJobSchema),
  'chunk-return': parsedBy(contract.chunkReturnSchema),
  'dead-letter': parsedBy(letterSchema),
  webhook: parsedBy(webhookSchema),
};

function parsedBy(schema: z.ZodType) {
  return (document: Json) => parseDocument(schema, document, 'document');
}

/** The document with a value at a path. An element stands first in its list, a named entry under `income`. */
function put(document: unknown, [step, ...rest]: readonly string[], value: unknown): unknown {
  if (step === undefined) return value;
  if (step === '[]') {
    const list = (document ?? []) as unknown[];
    return [put(list[0], rest, value), ...list.slice(1)];
  }
  const key = step === 'NAME' ? 'income' : step;
  return { ...(document as Json), [key]: put((document as Json | undefined)?.[key], rest, value) };
}

/** The example of a section in the examples of the sections around it. */
function documentOf(section: Section, example: unknown, sections: readonly Section[]): Json {
  const isAround = ({ path, family }: Section) =>
    path.length < section.path.length &&
    (path.length === 0 || family === section.family) &&
    path.every((step, i) => step === section.path[i]);
  const around = sections.filter(isAround);
  const document = [...around, { ...section, examples: [example] }].reduce<unknown>(
    (whole, { path, examples }) =>
      put(whole, path, examples.find((each) => isHolder(each, section.path[path.length])) ?? examples[0]),
    {},
  );
  return section.family ? ofFamily(document as Json, section.family) : (document as Json);
}

const isHolder = (example: unknown, step: string | undefined): boolean =>
  step !== undefined && Object.hasOwn(Object(example), step);

function ofFamily({ classes, ...document }: Json, family: string): Json {
  if (family === 'isolation-forest') return { ...document, family, classes: ['outlier', 'inlier'] };
  if (family === 'additive') return { ...document, family, features: FEATURES, classes };
  return families.get(family)!.task === 'regression' ? { ...document, family } : { ...document, family, classes };
}

describe('docs/', () => {
  it.each(Object.entries(referencePages(schemas)))('%s is up to date', (file, text) => {
    const written = readFileSync(new URL(`../../../docs/${file}`, import.meta.url), 'utf8');
    expect(written, 'run `npm run build && npm run schemas`').toBe(text);
  });
});

describe.each(Object.entries(PAGES))('the examples of %s', (_, { documents }) => {
  const all = documents.flatMap((document) => {
    const sections = sectionsOf(document, schemas[document.schema]);
    return sections.map((section) => ({ name: `${document.schema} ${section.key}`, document, section, sections }));
  });

  it.each(all)('$name: one for each choice of keys', ({ section }) => {
    expect(section.examples).toHaveLength(section.variants.length);
  });

  it.each(all)('$name load', ({ document, section, sections }) => {
    for (const example of section.examples) LOADERS[document.schema](documentOf(section, example, sections));
  });
});
