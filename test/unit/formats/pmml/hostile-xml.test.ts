/** Files of strangers: cut off, garbled, nested, with document types, entities and names that mean something to JavaScript. */
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { importPmml } from '../../../../src/formats/pmml/pmml.js';
import { readXml } from '../../../../src/formats/pmml/xml/xml-reader.js';
import { ElsewiseError, loadModel } from '../../../../src/index.js';
import { faultOf } from '../../../support/documents.js';

const bytesOf = (text: string) => new TextEncoder().encode(text);
const read = (text: string) => readXml(bytesOf(text));
const fixture = (name: string) =>
  gunzipSync(readFileSync(new URL(`../../../fixtures/pmml/${name}.pmml.gz`, import.meta.url)));

describe('the reader of XML', () => {
  it('reads attributes, entities, CDATA, comments and prefixes', () => {
    const root = read(
      `\uFEFF<?xml version="1.0"?><!-- <a> --><p:a x='1 > 0' y="&lt;&#65;&#x42;&amp;"><b/>t<![CDATA[<&>]]>&quot;<?skip <b>?></p:a>\n`,
    );
    expect([root.name, root.get('x'), root.get('y'), root.text]).toEqual(['a', '1 > 0', '<AB&', 't<&>"']);
    expect(root.children.map(({ name }) => name)).toEqual(['b']);
  });

  it.each(['utf-8', 'utf-16le', 'latin1'] as const)('reads text in %s', (encoding) => {
    const declared = encoding === 'latin1' ? 'ISO-8859-1' : encoding;
    const text = `${encoding === 'utf-16le' ? '\uFEFF' : ''}<?xml version="1.0" encoding="${declared}"?><a x="Öl"/>`;
    expect(readXml(Buffer.from(text, encoding)).get('x')).toBe('Öl');
  });

  it.each([
    ['a document type', '<!DOCTYPE a SYSTEM "file:///etc/passwd"><a/>', /does not support a document type/],
    ['entities', '<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>', /does not support a document type/],
    ['an entity of its own', '<a>&b;</a>', /the entity "&b;" is not known/],
    ['a character that is none', '<a>&#0;</a>', /the entity "&#0;" is not known/],
    ['half a character', '<a>&#xD800;</a>', /is not known/],
    ['two roots', '<a/><b/>', /a second element <b>/],
    ['text outside', 'x<a/>', /stands outside of all elements/],
    ['nothing', '', /has no element/],
    ['a wrong end', '<a><b></a></b>', /closes no open element/],
    ['no end', '<a><b/>', /ends before <\/a>/],
    ['an open comment', '<a><!-- </a>', /ends before -->/],
    ['an open tag', '<a x="1', /is no complete tag/],
    ['an attribute twice', '<a x="1" x="2"/>', /named twice/],
    ['an attribute without quotes', '<a x=1/>', /is no attribute/],
    ['wrong bytes', '<?xml version="1.0" encoding="no-such"?><a/>', /no text in the encoding no-such/],
  ])('refuses %s', (_, text, message) => {
    expect(faultOf(() => read(text))).toMatchObject({
      message: expect.stringMatching(message),
      path: expect.stringMatching(/^pmml/),
    });
  });

  it('refuses deep nesting, and takes long files in linear time', () => {
    expect(faultOf(() => read('<a>'.repeat(200_000)))).toMatchObject({
      message: expect.stringMatching(/nested too deeply/),
    });
    const long = `<a>${`<b c="${' '.repeat(50)}"/>`.repeat(20_000)}${'&lt;'.repeat(50_000)}</a>`;
    expect(read(long).children).toHaveLength(20_000);
    expect(faultOf(() => read(`<a ${'x '.repeat(100_000)}/>`))).toMatchObject({
      message: expect.stringMatching(/is no attribute/),
    });
  });
});

const model = (
  field: string,
  body: string,
) => `<PMML version="4.4"><DataDictionary><DataField name="${field}" optype="continuous" dataType="double"/>
<DataField name="y" optype="continuous" dataType="double"/></DataDictionary><RegressionModel functionName="regression"><MiningSchema>
<MiningField name="${field}"/><MiningField name="y" usageType="target"/></MiningSchema>${body}</RegressionModel></PMML>`;
const table = (field: string) =>
  `<RegressionTable intercept="1"><NumericPredictor name="${field}" coefficient="2"/></RegressionTable>`;

describe('names', () => {
  it.each(['constructor', 'toString', 'hasOwnProperty'])('may be %s', (name) => {
    const document = importPmml(bytesOf(model(name, table(name))));
    expect(loadModel(document).predict({ [name]: 3 }).prediction).toBe(7);
  });

  it('may not be __proto__', () => {
    expect(faultOf(() => loadModel(importPmml(bytesOf(model('__proto__', table('__proto__'))))))).toBeInstanceOf(
      ElsewiseError,
    );
  });

  it.each(['__proto__', 'constructor', 'toString'])('of functions, methods and elements may not be %s', (name) => {
    const local = (expression: string) =>
      `<LocalTransformations><DerivedField name="d" optype="continuous" dataType="double">${expression}</DerivedField></LocalTransformations>${table('d')}`;
    const texts = [
      model('x', local(`<Apply function="${name}"><FieldRef field="x"/></Apply>`)),
      model('x', local(`<${name}/>`)),
      model('x', table('x')).replaceAll('RegressionModel', name),
      model('x', table('x')).replace(
        'functionName="regression"',
        `functionName="regression" normalizationMethod="${name}"`,
      ),
      model('x', table('x')).replaceAll('name="x"', `name="${name}" dataType="${name}"`),
    ];
    for (const text of texts)
      expect(
        faultOf(() => importPmml(bytesOf(text))),
        text,
      ).toBeInstanceOf(ElsewiseError);
  });
});

describe.each(['tree-transformed', 'mining-classes-average', 'svm-three', 'sklearn-xgboost'])('%s', (name) => {
  const bytes = fixture(name);
  /** Undefined: the file is a model. */
  const faultIn = (changed: Uint8Array): unknown => {
    try {
      loadModel(importPmml(changed));
      return undefined;
    } catch (error) {
      return error;
    }
  };
  const expectKind = (fault: unknown) => {
    if (fault === undefined) return;
    expect(fault).toBeInstanceOf(ElsewiseError);
    expect((fault as ElsewiseError).path).not.toBe('');
    expect((fault as ElsewiseError).detail.length).toBeLessThan(2000);
  };

  it('is refused with a path when it is cut off', () => {
    fc.assert(
      fc.property(fc.nat(bytes.length - 10), (end) => {
        expect(faultIn(bytes.subarray(0, end))).toBeInstanceOf(ElsewiseError);
      }),
      { numRuns: 40 },
    );
  });

  it('is refused with a path, or is a model, when bytes change', () => {
    const change = fc.tuple(fc.nat(bytes.length - 1), fc.oneof(fc.nat(255), fc.constantFrom(34, 38, 48, 57, 60, 62)));
    fc.assert(
      fc.property(fc.array(change, { minLength: 1, maxLength: 4 }), (changes) => {
        const garbled = Uint8Array.from(bytes);
        for (const [at, value] of changes) garbled[at] = value;
        expectKind(faultIn(garbled));
      }),
      { numRuns: 150 },
    );
  });

  it('is refused with a path, or is a model, when an attribute or an element is left out', () => {
    const text = bytes.toString('utf8');
    const parts = [...text.matchAll(/ \w+="[^"]*"|<\w+[^<>]*\/>|>[^<>]+</g)];
    fc.assert(
      fc.property(fc.nat(parts.length - 1), (k) => {
        const { 0: part, index } = parts[k];
        const kept = part.startsWith('>') ? '><' : '';
        expectKind(faultIn(bytesOf(text.slice(0, index) + kept + text.slice(index + part.length))));
      }),
      { numRuns: 150 },
    );
  });
});
