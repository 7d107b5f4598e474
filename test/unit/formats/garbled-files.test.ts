/** Files that were cut off or whose bytes were changed: an error with a path, or a document that loads or is refused like any other. */
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formats } from '../../../src/formats/index.js';
import { ElsewiseError, loadModel } from '../../../src/index.js';

const FILES = [
  ['xgboost', 'xgboost-2.1.4/vector-leaves.json'],
  ['xgboost', 'xgboost-newest/logistic-early.ubj'],
  ['xgboost', 'xgboost-newest/dart.ubj'],
  ['xgboost', 'xgboost-newest/linear-softprob.json'],
  ['lightgbm', 'lightgbm-newest/binary-zero-categories.txt'],
  ['lightgbm', 'lightgbm-newest/binary-zero-categories.dump.json'],
  ['catboost', 'catboost-newest/logloss-categories.json'],
  ['catboost', 'catboost-newest/logloss-categories.cbm'],
  ['catboost', 'catboost-newest/logloss-lossguide.cbm'],
  ['catboost', 'catboost-newest/logloss-lossguide.json'],
  ['onnx', 'onnx-newest/histogram-multi.onnx'],
  ['onnx', 'onnx-newest/forest-words.onnx'],
  ['onnx', 'onnx-newest/nu-svc.onnx'],
  ['onnx', 'onnx-newest/torch-binary.onnx'],
  ['onnx', 'onnx-newest/trees.onnx'],
] as const;

const read = (file: string): Uint8Array =>
  gunzipSync(readFileSync(new URL(`../../fixtures/libraries/${file}.gz`, import.meta.url)));

/** Undefined: the file is a model. */
function faultOf(library: string, bytes: Uint8Array): unknown {
  try {
    const many = bytes.length % 2 ? { output: 0 } : {};
    loadModel(formats.get(library)!.read(bytes, many));
    return undefined;
  } catch (error) {
    return error;
  }
}

function expectKind(fault: unknown): void {
  if (fault === undefined) return;
  expect(fault).toBeInstanceOf(ElsewiseError);
  expect((fault as ElsewiseError).path).not.toBe('');
  expect((fault as ElsewiseError).detail.length).toBeLessThan(2000);
}

/** Places near the beginning, where the structure is, are as frequent as all others. */
const placeIn = (length: number) => fc.oneof(fc.nat(Math.min(400, length - 1)), fc.nat(length - 1));

describe.each(FILES)('%s: %s', (library, file) => {
  const bytes = read(file);

  it('is refused with a path when it is cut off', () => {
    fc.assert(
      fc.property(placeIn(bytes.length), (end) => {
        const fault = faultOf(library, bytes.subarray(0, end));
        expectKind(fault);
      }),
      { numRuns: 40 },
    );
    expect(faultOf(library, bytes.subarray(0, bytes.length >> 1))).toBeInstanceOf(ElsewiseError);
    expect(faultOf(library, new Uint8Array())).toBeInstanceOf(ElsewiseError);
  });

  it('is refused with a path, or is a model, when bytes change', () => {
    const change = fc.tuple(placeIn(bytes.length), fc.oneof(fc.nat(255), fc.constantFrom(0, 48, 57, 127, 128, 255)));
    fc.assert(
      fc.property(fc.array(change, { minLength: 1, maxLength: 4 }), (changes) => {
        const garbled = Uint8Array.from(bytes);
        for (const [at, value] of changes) garbled[at] = value;
        expectKind(faultOf(library, garbled));
      }),
      { numRuns: 120 },
    );
  });
});
