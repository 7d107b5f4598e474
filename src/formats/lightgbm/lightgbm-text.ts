/**
 * The text of a LightGBM model: lines `key=value`, first those of the model, then, from each `Tree=` on, those of a tree. Lists are
 * separated by blanks. The relevant part ends at `end of trees`, in older files at the importances of the features.
 *
 *   decision_type   bit 0: set split; bit 1: default left; bits 2 and 3: the missing type
 *   threshold       of a set split: i, its set being the words cat_boundaries[i] to cat_boundaries[i + 1] - 1 of
 *                   cat_threshold, 32 codes in each, the lowest bit first
 *   left_child      a split, or ~leaf
 *   feature_infos   [min:max] of a number, none of a constant, a:b:c of categories
 *   pandas_categorical   after the trees, as JSON: the names of the codes, a list for each column of categories
 */
import { ElsewiseError } from '../../documents/error.js';
import { parseDocument } from '../../documents/parse.js';
import { parseLibraryJson, unsupported } from '../ensemble.js';
import {
  categoryNamesForm,
  type LightgbmModel,
  type LightgbmTree,
  MISSING_TYPES,
  type Split,
} from './lightgbm-model.js';

const IS_SET = 1;
const IS_DEFAULT_LEFT = 2;
const MISSING_SHIFT = 2;
const MISSING_MASK = 3;
const WORD_BITS = 32;

export function readText(text: string, root: string): LightgbmModel {
  const [head, ...trees] = readSections(text, root);
  const names = head.text('feature_names').split(' ');
  const infos = head.text('feature_infos', '').split(' ');
  return {
    objective: head.text('objective'),
    isAverage: head.has('average_output'),
    treesPerIteration: readPerIteration(head),
    features: names.map((name, f) => ({ name, codes: readCodes(infos[f]) })),
    trees: trees.map(readTree),
    categoryNames: readCategoryNames(text, root),
  };
}

function readPerIteration(head: Section): number {
  const key = 'num_tree_per_iteration';
  const count = head.number(key, head.number('num_class', 1));
  if (Number.isInteger(count) && count >= 1) return count;
  throw head.fault(key, `expected a whole number of at least 1, got ${count}`);
}

function readCategoryNames(text: string, root: string): LightgbmModel['categoryNames'] {
  const path = `${root}.pandas_categorical`;
  const [, json = 'null'] = /^pandas_categorical:(.*)$/m.exec(text) ?? [];
  return parseDocument(categoryNamesForm, parseLibraryJson(json, path), path);
}

function readSections(text: string, root: string): Section[] {
  const lines = text.split(/\r?\n/);
  if (lines[0] !== 'tree')
    throw new ElsewiseError('bad-document', 'is no LightGBM model: it does not begin with "tree"', root);
  const sections = [new Section(root)];
  for (const line of lines.slice(1)) {
    if (/^(end of trees|feature[ _]importances)/.test(line)) break;
    if (line.startsWith('Tree=')) sections.push(new Section(`${root}.trees[${sections.length - 1}]`));
    else if (line) sections[sections.length - 1].add(line);
  }
  return sections;
}

/** The lines of one part of the file. */
class Section {
  private readonly values = new Map<string, string>();

  constructor(readonly path: string) {}

  add(line: string): void {
    const [key] = line.split('=', 1);
    this.values.set(key, line.slice(key.length + 1));
  }

  has(key: string): boolean {
    return this.values.has(key);
  }

  text(key: string, otherwise?: string): string {
    const value = this.values.get(key) ?? otherwise;
    if (value === undefined) throw this.fault(key, 'is missing');
    return value;
  }

  number(key: string, otherwise: number): number {
    return this.has(key) ? this.numbers(key, 1)[0] : otherwise;
  }

  numbers(key: string, length?: number): number[] {
    const text = this.text(key).trim();
    const list = text === '' ? [] : text.split(/ +/).map(Number);
    if (!list.every(Number.isFinite)) throw this.fault(key, `expected finite numbers, got "${text.slice(0, 40)}"`);
    if (length !== undefined && list.length !== length)
      throw this.fault(key, `expected ${length} numbers, got ${list.length}`);
    return list;
  }

  fault(key: string, message: string): ElsewiseError {
    return new ElsewiseError('bad-document', message, `${this.path}.${key}`);
  }
}

const readCodes = (info = '') => (/^-?\d+(:-?\d+)*$/.test(info) ? info.split(':').map(Number) : []);

function readTree(section: Section): LightgbmTree {
  if (section.number('is_linear', 0)) throw unsupported('linear trees', `${section.path}.is_linear`);
  const leafCount = section.number('num_leaves', 1);
  const leaves = section.numbers('leaf_value', leafCount);
  return { splits: leafCount > 1 ? readSplits(section, leafCount - 1) : [], leaves };
}

function readSplits(section: Section, count: number): Split[] {
  const list = (key: string) => section.numbers(key, count);
  const [feature, threshold, left, right] = ['split_feature', 'threshold', 'left_child', 'right_child'].map(list);
  const sets = section.number('num_cat', 0) > 0 ? readSets(section) : [];
  return list('decision_type').map((decision, n) => {
    const missing = MISSING_TYPES[(decision >> MISSING_SHIFT) & MISSING_MASK];
    const codes = decision & IS_SET ? sets[threshold[n]] : null;
    if (!missing || codes === undefined) throw section.fault(`decision_type[${n}]`, `${decision} has no meaning here`);
    const isDefaultLeft = (decision & IS_DEFAULT_LEFT) !== 0;
    return {
      feature: feature[n],
      threshold: threshold[n],
      codes,
      isDefaultLeft,
      missing,
      left: left[n],
      right: right[n],
    };
  });
}

function readSets(section: Section): number[][] {
  const words = section.numbers('cat_threshold');
  const boundaries = section.numbers('cat_boundaries');
  return boundaries.slice(1).map((end, i) => words.slice(boundaries[i], end).flatMap(bitsOf));
}

function bitsOf(word: number, index: number): number[] {
  const bits = Array.from({ length: WORD_BITS }, (_, bit) => bit).filter((bit) => (word >>> bit) & 1);
  return bits.map((bit) => index * WORD_BITS + bit);
}
