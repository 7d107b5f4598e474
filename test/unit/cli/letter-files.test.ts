/** File names of letters for every id, and the folder that never loses a letter. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { fileNameOf, INDEX_FILE, LetterFolder } from '../../../src/cli/letters/letter-folder.js';
import { describeLetters, describeNames } from '../../../src/cli/letters/write-letters.js';
import type { Language } from '../../../src/documents/labels/label-document.js';
import { loadModel } from '../../../src/models/load.js';
import { letterContext } from '../../../src/report/letters/letter-context.js';
import { creditModel } from '../../support/documents.js';

describe('a file name', () => {
  it.each([
    ['L-001', 'l-001'],
    ['../../etc/passwd', 'etc-passwd'],
    ['..', 'letter'],
    ['', 'letter'],
    ['a\u0000b', 'a-b'],
    ['C:\\temp\\x', 'c-temp-x'],
    ['Müller, Zoë', 'muller-zoe'],
    ['NUL', 'letter-nul'],
    ['con', 'letter-con'],
    ['-rf', 'rf'],
    ['漢字', 'letter'],
  ])('of %j is %j', (id, name) => {
    expect(fileNameOf(id)).toBe(name);
  });

  it('has plain letters only, whatever the id', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 400 }), (id) => {
        expect(fileNameOf(id)).toMatch(/^[a-z0-9_][a-z0-9_-]{0,86}$/);
      }),
    );
  });
});

describe('a folder of letters', () => {
  const freshFolder = () => {
    const folder = mkdtempSync(join(tmpdir(), 'elsewise-letters-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    return folder;
  };
  const both = (text: string) => [
    { form: 'html', content: `<${text}>` } as const,
    { form: 'text', content: text } as const,
  ];

  it('keeps letters of ids that give the same name, and lists them', () => {
    const path = join(freshFolder(), 'new', 'letters');
    const folder = new LetterFolder(path);
    const ids = ['A-1', 'a-1', 'a/1', 'A-1', 'a-1-line-2', '../a-1', 'x'.repeat(5000), '.'];
    for (const [k, id] of ids.entries()) folder.add(id, 'found', k + 1, both(`letter ${k}`));
    folder.add('bad', 'invalid', 9, []);
    folder.close();
    const lines = readFileSync(join(path, INDEX_FILE), 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines.map(({ id }) => id)).toEqual([...ids, 'bad']);
    for (const [k, { html, text }] of lines.slice(0, -1).entries()) {
      expect(readFileSync(join(path, html), 'utf8')).toBe(`<letter ${k}>`);
      expect(readFileSync(join(path, text), 'utf8')).toBe(`letter ${k}`);
    }
    expect(lines[8]).toEqual({ id: 'bad', status: 'invalid' });
    const files = readdirSync(path);
    expect(files).toHaveLength(2 * ids.length + 1);
    expect(new Set(files.map((file) => file.toLowerCase())).size).toBe(files.length);
    expect(readdirSync(join(path, '..'))).toEqual(['letters']);
  });

  it('is refused where it has files', () => {
    const path = freshFolder();
    new LetterFolder(path).close();
    expect(() => new LetterFolder(path)).toThrow(/the folder has files; give a new or an empty folder/);
  });
});

describe('the summary', () => {
  it('counts letters by their kind, and people without one', () => {
    expect(
      describeLetters(
        new Map([
          ['found', 2500],
          ['infeasible', 1],
          ['invalid', 2],
        ]),
      ),
    ).toBe(
      '2,501 letters written: 2,500 with a change, 1 with a proved "no change helps"; 2 people without a letter: the row is invalid',
    );
    expect(describeLetters(new Map([['already', 1]]))).toBe('1 letter written: 1 with the target already');
    expect(describeLetters(new Map())).toBe('0 letters written');
    expect(describeLetters(new Map([['found', 2]]), { count: 1, ids: ['a-7'] })).toBe(
      '2 letters written: 2 with a change; 1 result has no data of the person and no letter: id a-7',
    );
    expect(describeLetters(new Map(), { count: 1200, ids: ['a', 'b\u001b[2J'] })).toBe(
      '0 letters written; 1,200 results have no data of the person and no letter: ids a, b\\x1b[2J and 1,198 more',
    );
  });

  it('names features and classes without a label where the language is another one', () => {
    const document = loadModel(creditModel()).document;
    const namesIn = (language: Language) => describeNames(letterContext({ language, model: document, details: {} }));
    expect(namesIn('de')).toContain('shown as they are: age, income, housing, rejected, approved (--labels');
    expect(namesIn('en')).toBe('');
  });
});
