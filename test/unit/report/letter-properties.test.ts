/** Properties of all letters, for random results with hostile names: nothing of the policy's paths, nothing undefined, no foreign words. */
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { LANGUAGES, type Language } from '../../../src/documents/labels/label-document.js';
import type { CounterfactualDocument, ResultDocument } from '../../../src/documents/result-document.js';
import { flat, letterOf, loanModel, resultOf } from '../../support/letters.js';

let found: ResultDocument;
beforeAll(async () => {
  found = await resultOf();
});

const ENTRIES = [
  ...['change', 'min', 'max', 'maxIncrease', 'maxDecrease', 'step', 'allow'].flatMap((key) =>
    ['incomeTotal', 'debtTotal', 'isGuaranteed', 'housingKind'].map((name) => `features.${name}.${key}`),
  ),
  ...['levers.home', 'levers.unknown', 'constraints[0]', 'constraints[7]', 'maxChanges', 'margin', 'plausibility'],
  ...['features.gone.max', 'something.new'],
];

const number = fc.oneof(fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e100, max: 1e100 }), fc.integer());
const change = fc.oneof(
  fc.record({ feature: fc.constant('incomeTotal'), from: fc.option(number), to: number }),
  fc.record({ feature: fc.constant('debtTotal'), from: fc.integer(), to: fc.integer() }),
  fc.record({ feature: fc.constant('isGuaranteed'), from: fc.option(fc.boolean()), to: fc.boolean() }),
  fc.record({ feature: fc.constant('housingKind'), from: fc.constant('rent'), to: fc.constantFrom('own', 'free') }),
);
const changes = fc.uniqueArray(change, { selector: ({ feature }) => feature, minLength: 1 });
const share = fc.double({ min: 0, max: 1, noNaN: true });
const proof = fc.oneof(
  fc.constant({ kind: 'optimal', lowerBound: 1, gap: 0 } as const),
  fc.constant({ kind: 'heuristic', lowerBound: null, gap: null } as const),
  share.map((gap) => ({ kind: 'gap', lowerBound: 0.5, gap }) as const),
);
const range = fc.record({ from: number, to: number }, { requiredKeys: [] });
const region = fc.option(
  fc.record({
    features: fc.record(
      { incomeTotal: range, housingKind: fc.constant({ in: ['own', 'rent'] }) },
      { requiredKeys: [] },
    ),
    proof: fc.constant({ kind: 'proved', maximal: true } as const),
  }),
  { nil: undefined },
);
const answer = fc.record({
  changes,
  proof,
  region,
  score: share,
  lever: fc.option(fc.constantFrom('home', 'x'), { nil: undefined }),
});
const relaxation = fc.oneof(
  fc.constantFrom(null, 'undetermined' as const, undefined),
  fc.record({ entry: fc.constantFrom(...ENTRIES), cost: share, changes: fc.oneof(changes, fc.constant([])), proof }),
);
const reason = fc.record({
  code: fc.constant('infeasible'),
  message: fc.constant('blocked by features.incomeTotal.maxIncrease'),
  blocking: fc.option(fc.uniqueArray(fc.constantFrom(...ENTRIES)), { nil: undefined }),
  relaxation,
});
const target = fc.constantFrom(
  'approved',
  'rejected',
  ['approved', 'rejected'],
  { from: 0.25 },
  { to: 0.5, class: 'rejected' },
  { from: 0.1, to: 0.9 },
);
const levers = fc.option(
  fc.array(
    fc.record({
      lever: fc.constantFrom('home', 'x'),
      status: fc.constantFrom('found', 'infeasible', 'not-found'),
      reason,
    }),
  ),
  { nil: undefined },
);

const results = fc
  .record({
    status: fc.constantFrom('found', 'already', 'infeasible', 'not-found'),
    answers: fc.array(answer, { maxLength: 4 }),
    ...{ reason, target, levers, score: share },
    missing: fc.boolean(),
  })
  .map(({ status, answers, missing, score, ...rest }) => {
    const counterfactuals = (status === 'found' ? answers : []).map((own) => ({ ...found.counterfactuals[0], ...own }));
    const features = { ...found.factual!.features, ...(missing && { debtTotal: null }) };
    const factual = { ...found.factual!, score, features };
    return {
      ...found,
      ...rest,
      status,
      factual,
      counterfactuals: counterfactuals as CounterfactualDocument[],
    } as ResultDocument;
  });

const policies = fc.constantFrom(null, {
  features: { incomeTotal: { change: 'increase', max: 9000, step: 0.1 }, housingKind: { allow: ['own'] } },
  constraints: ['debtTotal <= incomeTotal'],
  levers: { home: ['housingKind'] },
  maxChanges: 1,
});

/** Control characters except line ends, and marks of direction. */
const INVISIBLE = /[^\P{Cc}\n]|[\u202a-\u202e]/u;

const ENGLISH_WORDS =
  /\b(the|your|you|would|have|been|with|without|which|this|these|change|changes|rule|rules|score|details|instead|least|yes|no|not)\b/i;
const LATIN: Readonly<Record<Language, RegExp>> = {
  en: /$^/,
  de: ENGLISH_WORDS,
  // "change" and "score" are French words as well
  fr: new RegExp(ENGLISH_WORDS.source.replace('change|changes|', '').replace('score|', ''), 'i'),
};

describe('every letter', () => {
  it.each(LANGUAGES)('in %s is whole, in its language, and names no path of the policy', (language) => {
    fc.assert(
      fc.property(results, policies, (result, policy) => {
        const { html, text } = letterOf({ ...result, policy: { ...result.policy, name: 'P1' } }, { language, policy });
        for (const written of [flat(text), flat(html.replace(/<style>[\s\S]*<\/style>/, ''))]) {
          expect(written).not.toMatch(/undefined|NaN|Infinity|\[object|\{\{|\}\}|null/);
          expect(written).not.toMatch(
            /features\.|constraints\[|levers\.|maxIncrease|maxDecrease|maxChanges|incomeTotal|debtTotal|housingKind/,
          );
        }
        expect(flat(text)).not.toMatch(LATIN[language]);
        expect(text).not.toMatch(/[ \t]$/m);
        expect(Math.max(...text.split('\n').map((line) => [...line].length))).toBeLessThanOrEqual(140);
      }),
      { numRuns: 80 },
    );
  });

  it('claims a proof only where the result has one', () => {
    fc.assert(
      fc.property(results, (result) => {
        const said = flat(letterOf(result, { policy: null }).text);
        const first = result.counterfactuals[0];
        if (!result.levers && /no smaller permitted change/.test(said)) expect(first.proof.kind).toBe('optimal');
        if (/No change that our rules permit/.test(said)) expect(result.status).toBe('infeasible');
        if (/in (this|these) ranges?/.test(said))
          expect(result.counterfactuals.some(({ region: box }) => box)).toBe(true);
      }),
      { numRuns: 150 },
    );
  });

  it('escapes names of every kind, and shows no invisible characters', () => {
    const hostile = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom(
        '<script>alert(1)</script>',
        '"><img src=x onerror=1>',
        '{{title}}',
        '\u0000\u001b[31m',
        '\u202egnp',
        '&amp;',
        "'--",
      ),
    );
    fc.assert(
      fc.property(hostile, hostile, hostile, (id, label, category) => {
        const model = loanModel();
        const features = model.features.map((feature) =>
          feature.type === 'categorical'
            ? { ...feature, label, categoryLabels: { own: category }, translations: undefined }
            : feature,
        );
        const details = { subject: label, sender: category, contact: id };
        const { html, text } = letterOf({ ...found, id }, { model: { ...model, features }, policy: null, details });
        const tags = new Set([...html.matchAll(/<\/?([a-zA-Z!]\w*)/g)].map(([, name]) => name));
        for (const tag of tags)
          expect([
            '!doctype',
            'html',
            'head',
            'meta',
            'title',
            'style',
            'body',
            'main',
            'header',
            'p',
            'span',
            'h1',
            'section',
            'h2',
            'h3',
            'div',
            'i',
            'b',
            'dl',
            'dt',
            'dd',
            'ul',
            'ol',
            'li',
            'footer',
          ]).toContain(tag);
        expect(html).not.toMatch(INVISIBLE);
        expect(text).not.toMatch(INVISIBLE);
        expect(html).not.toMatch(/ on\w+="/);
      }),
      { numRuns: 150 },
    );
  });
});

describe('the page', () => {
  it('is one file: no script, nothing from a network, its language, one title, headings in order', () => {
    const { html } = letterOf(found, { language: 'fr' });
    expect(html).toMatch(/^<!doctype html>\n<html lang="fr">/);
    expect(html).toContain("default-src 'none'");
    expect(html).not.toMatch(/<script|https?:|url\(|@import|src=|href=/);
    const levels = [...html.matchAll(/<h(\d)/g)].map(([, level]) => Number(level));
    expect(levels.filter((level) => level === 1)).toHaveLength(1);
    expect(levels.every((level, k) => k === 0 || level - levels[k - 1] <= 1)).toBe(true);
    expect(html).toContain('@page { size: A4;');
    expect(html).toContain('prefers-color-scheme: dark');
  });
});
