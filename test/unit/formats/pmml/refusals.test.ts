/** What is refused: by name, with the path of the element and a way out. The files are written by hand, each with one part that is not kept. */
import { describe, expect, it } from 'vitest';
import { importPmml } from '../../../../src/formats/pmml/pmml.js';
import { loadModel } from '../../../../src/index.js';
import { faultOf } from '../../../support/documents.js';

const bytesOf = (text: string) => new TextEncoder().encode(text);

const DICTIONARY = `<DataDictionary>
<DataField name="a" optype="continuous" dataType="double"/><DataField name="b" optype="continuous" dataType="double"/>
<DataField name="c" optype="categorical" dataType="string"><Value value="u"/><Value value="v"/></DataField>
<DataField name="day" optype="continuous" dataType="date"/>
<DataField name="y" optype="continuous" dataType="double"/>
<DataField name="k" optype="categorical" dataType="string"><Value value="no"/><Value value="yes"/></DataField></DataDictionary>`;
const FIELDS = ['a', 'b', 'c'].map((name) => `<MiningField name="${name}"/>`).join('');
const schema = (target = 'y') =>
  `<MiningSchema>${FIELDS}<MiningField name="${target}" usageType="target"/></MiningSchema>`;
const file = (model: string) =>
  `<PMML version="4.4">${DICTIONARY.replace(/<DataField name="day".*\n/, '')}${model}</PMML>`;

const regression = (table: string, attributes = '', local = '') =>
  file(
    `<RegressionModel functionName="regression" ${attributes}>${schema()}${local}<RegressionTable intercept="1">${table}</RegressionTable></RegressionModel>`,
  );
const derived = (expression: string) =>
  regression(
    '<NumericPredictor name="d" coefficient="1"/>',
    '',
    `<LocalTransformations><DerivedField name="d" optype="continuous" dataType="double">${expression}</DerivedField></LocalTransformations>`,
  );
const tree = (nodes: string, attributes = '') =>
  file(`<TreeModel functionName="regression" ${attributes}>${schema()}<Node><True/>${nodes}</Node></TreeModel>`);
const leaf = (predicate: string, score = '1') => `<Node score="${score}">${predicate}</Node>`;
const below = (value: number) => `<SimplePredicate field="a" operator="lessThan" value="${value}"/>`;
const mining = (method: string, segments: string, target = 'y', task = 'regression') =>
  file(
    `<MiningModel functionName="${task}">${schema(target)}<Segmentation multipleModelMethod="${method}">${segments}</Segmentation></MiningModel>`,
  );
const segment = (body: string, predicate = '<True/>') => `<Segment>${predicate}${body}</Segment>`;
const small = `<TreeModel functionName="regression"><MiningSchema><MiningField name="a"/></MiningSchema><Node score="1"><True/></Node></TreeModel>`;
const classes = (link: string, tables: string) =>
  file(
    `<RegressionModel functionName="classification" normalizationMethod="${link}">${schema('k')}${tables}</RegressionModel>`,
  );
const pair =
  '<RegressionTable intercept="1" targetCategory="yes"/><RegressionTable intercept="0" targetCategory="no"/>';
const fieldRef = (name: string) => `<FieldRef field="${name}"/>`;

const REFUSED: readonly (readonly [what: string, text: string, message: RegExp, path: string])[] = [
  ['an old version', file('').replace('4.4', '3.2'), /version "3.2" of PMML: export PMML 4.x/, 'pmml'],
  [
    'another model',
    file(`<ClusteringModel functionName="clustering"/>`),
    /the model ClusteringModel; known are TreeModel/,
    'pmml.ClusteringModel',
  ],
  ['several models', file(small + small), /a file of 2 models: write a file for each/, 'pmml.TreeModel[1]'],
  [
    'an interaction',
    regression(`<PredictorTerm coefficient="2">${fieldRef('a')}${fieldRef('b')}</PredictorTerm>`),
    /an interaction of fields \(a x b\): compute the product/,
    'pmml.RegressionModel.RegressionTable.PredictorTerm',
  ],
  [
    'a power',
    regression('<NumericPredictor name="a" exponent="2" coefficient="1"/>'),
    /a power of a number \("a" to the 2\)/,
    'pmml.RegressionModel.RegressionTable.NumericPredictor',
  ],
  [
    'a probit link',
    regression('', 'normalizationMethod="probit"'),
    /normalizationMethod="probit"; known are none, logit, softmax, exp/,
    'pmml.RegressionModel',
  ],
  ['a simplemax link', classes('simplemax', pair), /normalizationMethod="simplemax"/, 'pmml.RegressionModel'],
  [
    'lines beside bins',
    derived(
      `<Discretize field="a"><DiscretizeBin binValue="1"><Interval closure="openOpen" leftMargin="0"/></DiscretizeBin></Discretize>`,
    ).replace('intercept="1">', 'intercept="1"><NumericPredictor name="b" coefficient="1"/>'),
    /values of "a" without a result/,
    'pmml.RegressionModel',
  ],
  [
    'a function of several fields',
    derived(`<Apply function="+">${fieldRef('a')}${fieldRef('b')}</Apply>`),
    /a function of several fields \(a, b\): compute it before/,
    'pmml.RegressionModel.LocalTransformations.DerivedField.Apply',
  ],
  [
    'a field that is read twice',
    derived(`<Apply function="*">${fieldRef('a')}${fieldRef('a')}</Apply>`),
    /a function that reads "a" several times/,
    'pmml.RegressionModel.LocalTransformations.DerivedField.Apply',
  ],
  [
    'another function',
    derived(`<Apply function="ln">${fieldRef('a')}</Apply>`),
    /the function "ln"; known are if, \+/,
    'pmml.RegressionModel.LocalTransformations.DerivedField.Apply',
  ],
  [
    'a division by a field',
    derived(`<Apply function="/"><Constant>1</Constant>${fieldRef('a')}</Apply>`),
    /a division by a field/,
    'pmml.RegressionModel.LocalTransformations.DerivedField.Apply',
  ],
  [
    'another transformation',
    derived('<Aggregate field="a" function="sum"/>'),
    /the transformation Aggregate/,
    'pmml.RegressionModel.LocalTransformations.DerivedField.Aggregate',
  ],
  [
    'a field of itself',
    derived(fieldRef('d')),
    /the field "d" is computed from itself/,
    'pmml.RegressionModel.LocalTransformations.DerivedField.FieldRef',
  ],
  [
    'an unknown field',
    derived(fieldRef('aa')),
    /there is no field "aa"/,
    'pmml.RegressionModel.LocalTransformations.DerivedField.FieldRef',
  ],
  [
    'weighted confidence',
    tree(leaf(below(1)), 'missingValueStrategy="weightedConfidence"'),
    /missingValueStrategy="weightedConfidence"/,
    'pmml.TreeModel',
  ],
  [
    'rows without a leaf',
    tree(leaf(below(1))),
    /rows without a missing value that get no result: no child is true/,
    'pmml.TreeModel.Node',
  ],
  [
    'an embedded model',
    tree('<Node><True/><Regression/></Node>'),
    /a model inside of a node: use segments/,
    'pmml.TreeModel.Node.Node.Regression',
  ],
  [
    'a score that is not the most',
    file(
      `<TreeModel functionName="classification">${schema('k')}<Node score="no"><True/><ScoreDistribution value="no" recordCount="1"/><ScoreDistribution value="yes" recordCount="2"/></Node></TreeModel>`,
    ),
    /a score, "no", that is not the class of most records/,
    'pmml.TreeModel.Node',
  ],
  ['a median', mining('median', segment(small)), /the method "median" of segments/, 'pmml.MiningModel.Segmentation'],
  [
    'a sum of classes',
    mining('sum', segment(small), 'k', 'classification'),
    /sum of classes: use average, weightedAverage or a vote/,
    'pmml.MiningModel.Segmentation',
  ],
  [
    'a condition',
    mining('sum', segment(small, below(1))),
    /a segment with a condition/,
    'pmml.MiningModel.Segmentation.Segment',
  ],
  [
    'a regression in a sum',
    mining('sum', segment('<RegressionModel functionName="regression"/>')),
    /a RegressionModel in an ensemble/,
    'pmml.MiningModel.Segmentation.Segment.RegressionModel',
  ],
  [
    'a chain that ends in trees',
    mining('modelChain', segment(small)),
    /a TreeModel at the end of a modelChain/,
    'pmml.MiningModel.Segmentation.Segment.TreeModel',
  ],
  [
    'rounded results',
    tree(leaf(below(1)) + leaf('<True/>')).replace('<Node>', '<Targets><Target castInteger="round"/></Targets><Node>'),
    /a result that is rounded or cut off \(castInteger\)/,
    'pmml.TreeModel.Targets.Target',
  ],
];

describe('is refused by name', () => {
  it.each(REFUSED)('%s', (_, text, message, path) => {
    expect(faultOf(() => importPmml(bytesOf(text)))).toMatchObject({ message: expect.stringMatching(message), path });
  });

  it('a date, and an output to choose', () => {
    const dated = regression('').replace(
      'name="a" optype="continuous" dataType="double"',
      'name="a" optype="continuous" dataType="date"',
    );
    expect(faultOf(() => importPmml(bytesOf(dated)))).toMatchObject({
      code: 'unsupported',
      path: 'pmml.DataDictionary.DataField[0]',
    });
    expect(faultOf(() => importPmml(bytesOf(regression('')), { output: 1 }))).toMatchObject({ code: 'usage' });
  });
});

describe('a document', () => {
  it('has thresholds, comparisons and limits in the words of the file', () => {
    const text = tree(
      leaf(below(24)) + leaf('<SimplePredicate field="a" operator="greaterOrEqual" value="24"/>', '2'),
      'missingValueStrategy="none" noTrueChildStrategy="returnLastPrediction"',
    )
      .replace('<Node><True/>', '<Node score="3"><True/>')
      .replace(
        '<DataField name="a" optype="continuous" dataType="double"/>',
        '<DataField name="a" optype="continuous" dataType="double"><Interval closure="openClosed" leftMargin="0" rightMargin="99"/></DataField>',
      );
    const { features, parameters } = importPmml(bytesOf(text));
    expect(features[0]).toEqual({ name: 'a', type: 'continuous', min: Number.MIN_VALUE, max: 99 });
    expect(parameters.tree).toMatchObject({
      threshold: [24, 0, Number.MAX_VALUE, 0, 0],
      comparison: '<',
      precision: 'float64',
    });
  });

  it('has a column for each category that is asked for alone, and ranks where sets are', () => {
    const ask = (predicate: string) =>
      tree(leaf(predicate) + leaf('<True/>', '2'), 'missingValueStrategy="none"').replaceAll(
        '<Value value="v"/>',
        '<Value value="v"/><Value value="w"/><Value value="x"/>',
      );
    const alone = importPmml(bytesOf(ask('<SimplePredicate field="c" operator="notEqual" value="v"/>')));
    expect(alone.features[2]).toEqual({ name: 'c', type: 'categorical', categories: ['u', 'v', 'w', 'x'] });
    const sets = importPmml(
      bytesOf(
        ask(
          '<SimpleSetPredicate field="c" booleanOperator="isIn"><Array type="string">"v" u</Array></SimpleSetPredicate>',
        ),
      ),
    );
    expect(sets.features[2]).toMatchObject({ encoding: 'ordinal' });
    const predictions = ['u', 'v', 'w', 'x'].map((c) =>
      [alone, sets].map((document) => loadModel(document).predict({ a: 0, b: 0, c }).prediction),
    );
    expect(predictions).toEqual([
      [1, 1],
      [2, 1],
      [1, 2],
      [1, 2],
    ]);
  });

  it('tells the reason codes of a scorecard', () => {
    const card =
      file(`<Scorecard functionName="regression" initialScore="5">${schema()}<Characteristics><Characteristic reasonCode="RC1">
      <Attribute partialScore="1">${below(3)}</Attribute><Attribute partialScore="7" reasonCode="RC2"><True/></Attribute></Characteristic></Characteristics></Scorecard>`);
    const document = importPmml(bytesOf(card));
    expect(document.description).toBe('Reason codes of the scorecard, by feature. a: RC1, RC2.');
    expect(document.parameters).toEqual({
      intercept: 5,
      terms: [{ feature: 'a', cuts: [3], comparison: '<', values: [1, 7], missing: 7 }],
      link: 'identity',
    });
  });

  it('has the rows of a ModelVerification as probes', () => {
    const verified = (score: number) =>
      regression(
        '<NumericPredictor name="a" coefficient="2"/><CategoricalPredictor name="c" value="u" coefficient="10"/>',
      ).replace(
        '<RegressionTable',
        `<ModelVerification><VerificationFields>${['a', 'b', 'c', 'y'].map((name) => `<VerificationField field="${name}" column="data:${name}x"/>`).join('')}</VerificationFields>
        <InlineTable><row><data:ax>1.5</data:ax><data:bx>0</data:bx><data:cx>u</data:cx><data:yx>${score}</data:yx></row></InlineTable></ModelVerification><RegressionTable`,
      );
    const document = importPmml(bytesOf(verified(14)));
    expect(document.probes).toEqual({ rows: [[1.5, 0, 'u']], scores: [[14]], precision: 'float64' });
    expect(() => loadModel(document)).not.toThrow();
    expect(faultOf(() => loadModel(importPmml(bytesOf(verified(14.5)))))).toMatchObject({ code: 'bad-probe' });
  });
});
