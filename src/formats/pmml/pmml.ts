/**
 * PMML 4.x -> a model document. Fields, treatments and transformations are functions of single columns (expression.ts), and each kind of
 * model has a reader:
 *
 *   RegressionModel, GeneralRegressionModel     linear families, `additive`
 *   TreeModel, MiningModel                      `decision-tree`, `tree-ensemble`
 *   NaiveBayesModel                             `additive`, `gaussian-naive-bayes`
 *   Scorecard                                   `additive`, `tree-ensemble`
 *   SupportVectorMachineModel                   `kernel-svm`, `softmax-regression`
 *   NeuralNetwork                               `mlp`
 */
import { ElsewiseError } from '../../documents/error.js';
import type { ModelDocument } from '../../documents/model-document.js';
import type { ImportChoices } from '../choices.js';
import { refuseOutput } from '../outputs.js';
import { readColumns } from './fields/columns.js';
import { localScope } from './fields/field-scope.js';
import { namedValues } from './fields/named-values.js';
import { type DocumentPart, type ModelContext, readClasses } from './model-context.js';
import { importGeneralRegression } from './models/general-regression.js';
import { importMining } from './models/mining-model.js';
import { importNaiveBayes } from './models/naive-bayes.js';
import { importNetwork } from './models/neural-network.js';
import { importRegression } from './models/regression-model.js';
import { importScorecardModel } from './models/scorecard-model.js';
import { importSupportVectors } from './models/support-vectors.js';
import { writeTree } from './trees/forest.js';
import { readTree } from './trees/tree-model.js';
import { readVerification } from './verification.js';
import type { XmlElement } from './xml/xml-element.js';
import { readXml } from './xml/xml-reader.js';

const READERS: Readonly<Record<string, (model: XmlElement, context: ModelContext) => DocumentPart>> = {
  TreeModel: importTree,
  MiningModel: importMining,
  RegressionModel: importRegression,
  GeneralRegressionModel: importGeneralRegression,
  NaiveBayesModel: importNaiveBayes,
  Scorecard: importScorecardModel,
  SupportVectorMachineModel: importSupportVectors,
  NeuralNetwork: importNetwork,
};

/** Elements of the file beside its model. */
const OTHERS = ['Header', 'MiningBuildTask', 'DataDictionary', 'TransformationDictionary', 'Extension'];

const ROOT = 'pmml';

export function importPmml(bytes: Uint8Array, choices: ImportChoices = {}): ModelDocument {
  refuseOutput(choices, ROOT);
  const root = readXml(bytes);
  checkVersion(root);
  const model = modelOf(root);
  const columns = readColumns(root, model, namedValues(model, root));
  const classes = readClasses(root, model);
  const context = { ...columns, scope: localScope(columns.scope, model), classes, choices };
  const probes = readVerification(model, columns.features, classes);
  const part = READERS[model.name](model, context);
  return { schema: 'elsewise.model/v1', name: ROOT, ...part, ...(probes && { probes }) };
}

function checkVersion(root: XmlElement): void {
  if (root.name !== 'PMML') throw root.fault(`expected the element PMML, and the file has <${root.name.slice(0, 40)}>`);
  const version = root.get('version') ?? '';
  if (!/^4(\.|$)/.test(version)) throw root.refusal(`version "${version.slice(0, 20)}" of PMML: export PMML 4.x`);
}

function modelOf(root: XmlElement): XmlElement {
  const models = root.children.filter(({ name }) => !OTHERS.includes(name));
  const [model, ...others] = models;
  if (!model) throw new ElsewiseError('bad-document', 'has no model', ROOT);
  if (others.length) throw others[0].refusal(`a file of ${models.length} models: write a file for each`);
  if (Object.hasOwn(READERS, model.name)) return model;
  throw model.refusal(`the model ${model.name.slice(0, 40)}; known are ${Object.keys(READERS).join(', ')}`);
}

function importTree(model: XmlElement, context: ModelContext): DocumentPart {
  const kind = context.classes ? 'shares' : 'number';
  return writeTree(readTree(model, context.scope, context.classes, kind), model, context);
}
