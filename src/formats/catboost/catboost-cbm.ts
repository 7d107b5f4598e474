/**
 * CatBoost's own file (.cbm): "CBM1", the size of the core, the core as FlatBuffers, then tables for target statistics.
 *
 *   splits    a number counts all questions of the model: the borders of each number feature in order, then the words of each one-hot
 *             feature, then target statistics
 *   trees     cbm-trees.ts
 *
 * The file has words as hashes only.
 */
import type { z } from 'zod';
import { ElsewiseError } from '../../documents/error.js';
import { parseDocument } from '../../documents/parse.js';
import { parseLibraryJson, unsupported } from '../ensemble.js';
import { classForm, OTHER_SPLITS, paramsForm } from './catboost-json.js';
import type { CatboostModel, CatboostSplit, NumberFeature, WordFeature } from './catboost-model.js';
import { ROOT } from './catboost-model.js';
import { cbmTrees } from './cbm-trees.js';
import { BYTE, DOUBLE, FLOAT, FlatFile, type FlatTable, INT, UINT } from './flat-table.js';

const START = [...'CBM1'].map((letter) => letter.charCodeAt(0));
const HEAD_BYTES = 8;
const FORMAT = 'FlabuffersModel_v1';
const MISSING_LARGEST = 2;

/** The numbers of fields in the tables of the core. */
const CORE = { version: 0, trees: 1, info: 2 };
const TREES = {
  dimension: 0,
  words: 4,
  numbers: 5,
  oneHot: 6,
  ctrs: 7,
  estimated: 13,
  scale: 14,
  bias: 15,
  biases: 16,
};
const NUMBER = { index: 1, place: 2, borders: 3, name: 4, missing: 5 };
const WORD = { index: 0, place: 1, name: 2 };
const ONE_HOT = { index: 0, hashes: 1, words: 2 };
const ENTRY = { key: 0, value: 1 };

export const isCbm = (bytes: Uint8Array): boolean => START.every((letter, i) => bytes[i] === letter);

export function readCbm(bytes: Uint8Array): CatboostModel {
  if (bytes.length < HEAD_BYTES) throw damaged('it ends after its first bytes');
  const size = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength).getUint32(4, true);
  if (HEAD_BYTES + size > bytes.length) throw damaged(`it has ${bytes.length} bytes, and its core alone takes ${size}`);
  const core = new FlatFile(bytes.subarray(HEAD_BYTES, HEAD_BYTES + size)).root;
  const version = core.text(CORE.version);
  const trees = core.table(CORE.trees);
  if (version !== FORMAT || !trees)
    throw unsupported(`the format "${version.slice(0, 40)}"; save the model as JSON`, ROOT);
  if (trees.tables(TREES.estimated).length) throw unsupported(OTHER_SPLITS.EstimatedFeature, ROOT);
  if (trees.tables(TREES.ctrs).length) throw unsupported(OTHER_SPLITS.OnlineCtr, ROOT);
  return { ...readInfo(core), ...readTrees(trees) };
}

const damaged = (what: string) => new ElsewiseError('bad-document', `the file is cut off: ${what}`, ROOT);

function readInfo(core: FlatTable): Pick<CatboostModel, 'loss' | 'classes' | 'probabilityThreshold'> {
  const info = new Map(core.tables(CORE.info).map((entry) => [entry.text(ENTRY.key), entry.text(ENTRY.value)]));
  const read = <S extends z.ZodType>(form: S, key: string) => {
    const path = `${ROOT}.${key}`;
    return parseDocument(form, parseLibraryJson(info.get(key) || '{}', path), path);
  };
  return {
    loss: read(paramsForm, 'params').loss_function?.type,
    classes: read(classForm, 'class_params').class_names.map(String),
    probabilityThreshold: info.get('binclass_probability_threshold'),
  };
}

type Trees = Omit<CatboostModel, 'loss' | 'classes' | 'probabilityThreshold'>;

function readTrees(trees: FlatTable): Trees {
  const floats = inOrder(trees.tables(TREES.numbers), NUMBER.index);
  const oneHot = trees.tables(TREES.oneHot).map((table) => ({
    feature: table.value(ONE_HOT.index, INT, -1),
    hashes: table.vector(ONE_HOT.hashes, UINT),
    words: table.texts(ONE_HOT.words),
  }));
  const questions: CatboostSplit[] = [
    ...floats.flatMap((table, feature) =>
      table.vector(NUMBER.borders, FLOAT).map((border): CatboostSplit => ({ kind: 'border', feature, border })),
    ),
    ...oneHot.flatMap(({ feature, hashes }) => hashes.map((hash): CatboostSplit => ({ kind: 'word', feature, hash }))),
  ];
  const dimension = trees.value(TREES.dimension, INT, 0);
  const biases = trees.vector(TREES.biases, DOUBLE);
  return {
    numbers: floats.map(numberFeature),
    words: inOrder(trees.tables(TREES.words), WORD.index).map(
      (table, f): WordFeature => ({
        name: nameOf(table, WORD.name, WORD.place),
        place: table.value(WORD.place, INT, -1),
        hashes: oneHot.find(({ feature }) => feature === f)?.hashes ?? [],
      }),
    ),
    wordOf: new Map(oneHot.flatMap(({ hashes, words }) => words.map((word, k): [number, string] => [hashes[k], word]))),
    dimension,
    trees: cbmTrees(trees, questions, dimension),
    scale: trees.value(TREES.scale, DOUBLE, 1),
    bias: biases.length ? biases : [trees.value(TREES.bias, DOUBLE, 0)],
  };
}

const numberFeature = (table: FlatTable): NumberFeature => ({
  name: nameOf(table, NUMBER.name, NUMBER.place),
  place: table.value(NUMBER.place, INT, -1),
  isMissingLargest: table.value(NUMBER.missing, BYTE, 0) === MISSING_LARGEST,
});

const nameOf = (table: FlatTable, name: number, place: number): string =>
  table.text(name) || String(table.value(place, INT, -1));

/** Questions count features in the order of the file: it has to be that of their indices. */
function inOrder(tables: readonly FlatTable[], index: number): readonly FlatTable[] {
  const wrong = tables.findIndex((table, f) => table.value(index, INT, -1) !== f);
  if (wrong < 0) return tables;
  throw unsupported(`features in another order than that of their indices; save the model as JSON`, ROOT);
}
