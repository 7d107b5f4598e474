/** The family of models that are scored elsewhere: its document, and what it makes of scores. */
import { describe, expect, it } from 'vitest';
import { loadModel } from '../../../src/models/load.js';
import { packModel, unpackModel } from '../../../src/models/packed-model.js';
import type { Goal } from '../../../src/models/region.js';
import { ScoresNeeded } from '../../../src/models/score-memory.js';
import { faultOf } from '../../support/documents.js';
import { blackBoxDocument } from '../../support/scorers/scorer-process.js';

const HTTP = { type: 'http', url: 'https://scorer.example/score' };

const load = (scorer: object, parameters: object = {}, rest: object = {}) =>
  loadModel(blackBoxDocument(scorer, { parameters, ...rest })).model;
const raw = (...numbers: number[]) => Float64Array.from(numbers);
const toClass = (index: number, margin = 0): Goal => ({ kind: 'class', index, margin });

function expectMarginAgrees(model: ReturnType<typeof load>, outputs: readonly Float64Array[], goals: readonly Goal[]) {
  for (const goal of goals)
    for (const output of outputs) {
      const margin = model.margin(output, goal);
      if (Math.abs(margin) > 1e-12) expect(margin > 0).toBe(model.achieves(output, goal));
    }
}

describe('a black box', () => {
  it('knows no scores by itself and says nothing of its region', () => {
    const model = load(HTTP);
    expect(() => model.raw(raw(1, 0, 1, 0, 0), raw(0, 0))).toThrow(ScoresNeeded);
    expect(model.region(toClass(1))).toBe('unknown');
    expect(model.gradient).toBeUndefined();
  });

  it('recalls what was learned', () => {
    const model = load(HTTP);
    const x = raw(1, 0, 1, 0, 0);
    model.memory!.learn(x, raw(0.3, 0.7));
    const out = raw(0, 0);
    model.raw(x, out);
    expect([...out]).toEqual([0.3, 0.7]);
  });

  it('decides by the largest probability, the lower class where two are equal', () => {
    const model = load(HTTP);
    expect(model.decide(raw(0.3, 0.7))).toBe(1);
    expect(model.decide(raw(0.5, 0.5))).toBe(0);
    expect(model.achieves(raw(0.4, 0.6), toClass(1, 0.05))).toBe(true);
    expect(model.achieves(raw(0.4, 0.6), toClass(1, 0.2))).toBe(false);
    expect(model.achieves(raw(0.4, 0.6), { kind: 'interval', index: 1, from: 0.55, to: 0.65 })).toBe(true);
    const goals: Goal[] = [toClass(0), toClass(1), toClass(1, 0.1), { kind: 'interval', index: 1, from: 0.2, to: 0.4 }];
    const outputs = Array.from({ length: 21 }, (_, k) => raw(1 - k / 20, k / 20));
    expectMarginAgrees(model, outputs, goals);
  });

  it('leads over the best rival of several classes', () => {
    const model = load(HTTP, {}, { classes: ['no', 'yes', 'maybe'] });
    expect(model.rawOutputs).toBe(3);
    expect(model.achieves(raw(0.3, 0.6, 0.1), toClass(1, 0.3))).toBe(true);
    expect(model.achieves(raw(0.35, 0.6, 0.05), toClass(1, 0.3))).toBe(false);
    expectMarginAgrees(
      model,
      [raw(0.3, 0.6, 0.1), raw(0.5, 0.2, 0.3), raw(0.2, 0.3, 0.5)],
      [toClass(0), toClass(1, 0.2)],
    );
  });

  it('shows a label as 1 for its class and 0 for the others', () => {
    const model = load(HTTP, { outputs: 'labels' });
    const shown = raw(9, 9);
    model.scores(raw(1), shown);
    expect([...shown]).toEqual([0, 1]);
    expect(model.decide(raw(1))).toBe(1);
    expectMarginAgrees(model, [raw(0), raw(1)], [toClass(0), toClass(1), toClass(1, 0.4)]);
  });

  it('is a regressor where there are no classes', () => {
    const model = load(HTTP, { outputs: 'prediction' }, { classes: undefined, background: undefined });
    expect(model.achieves(raw(3), { kind: 'interval', index: 0, from: 2, to: 4 })).toBe(true);
    expect(model.margin(raw(5), { kind: 'interval', index: 0, from: 2, to: 4 })).toBe(-1);
  });

  it('travels between threads with its scorer', () => {
    const packed = packModel(loadModel(blackBoxDocument(HTTP)));
    expect(unpackModel(structuredClone(packed)).model.scoring).toMatchObject({
      scorer: HTTP,
      outputs: 'probabilities',
    });
  });

  it.each([
    [{ ...HTTP, version: '7' }, false],
    [HTTP, true],
    [{ type: 'mlflow', url: 'https://a.example' }, true],
    [{ type: 'open-inference', url: 'https://a.example', model: 'm', modelVersion: '3' }, false],
    [{ type: 'open-inference', url: 'https://a.example', model: 'm' }, true],
    [{ type: 'onnx', file: 'm.onnx', sha256: 'a'.repeat(64) }, false],
    [{ type: 'onnx', file: 'm.onnx' }, true],
  ])('is volatile unless the document pins the version: %o', (scorer, isVolatile) => {
    expect(load(scorer).volatile).toBe(isVolatile);
  });

  it.each([
    ['a token', { ...HTTP, token: 'secret' }, 'model.parameters.scorer'],
    ['another protocol', { type: 'http', url: 'file:///etc/passwd' }, 'model.parameters.scorer.url'],
    ['a password', { type: 'http', url: 'http://user:secret@a.example/' }, 'model.parameters.scorer.url'],
    ['a query', { type: 'http', url: 'http://a.example/?token=secret' }, 'model.parameters.scorer.url'],
    ['an unknown type', { type: 'grpc', url: 'http://a.example' }, 'model.parameters.scorer.type'],
  ])('refuses %s in its document', (_, scorer, path) => {
    const fault = faultOf(() => load(scorer));
    expect(fault).toMatchObject({ code: 'bad-document' });
    expect((fault as { path: string }).path.startsWith(path)).toBe(true);
  });

  it('refuses outputs that do not go with its classes', () => {
    const path = 'model.parameters.outputs';
    expect(faultOf(() => load(HTTP, { outputs: 'prediction' }))).toMatchObject({ code: 'bad-document', path });
    const none = { classes: undefined, background: undefined };
    expect(faultOf(() => load(HTTP, {}, none))).toMatchObject({ code: 'bad-document', path });
  });
});
