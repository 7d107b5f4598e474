/**
 * The texts and examples of the reference pages, by section. A section is named by its path in the document, the document itself by ''. A
 * section with a choice of objects has a list with an example for each. A test puts every example into its document and loads the document.
 */
const leafless = { feature: [0, 0, 0], threshold: [0.5, 0, 0], left: [1, -1, -1], right: [2, -1, -1] };
const tree = {
  ...leafless,
  feature: [1, 0, 0],
  threshold: [2500, 0, 0],
  value: [
    [0.5, 0.5],
    [0.8, 0.2],
    [0.3, 0.7],
  ],
};
const boosted = { ...tree, value: [[0], [-0.4], [0.6]] };
const isolating = { ...tree, threshold: [9000, 0, 0], value: [[0], [1.1], [0.4]] };

const POLICY = {
  schema: 'policy',
  heading: 'The document',
  introduction:
    'A policy is a JSON file. Files may contain `//` and `/* */` comments and a comma after the last element. `elsewise policies init` writes a first policy for a model, and `elsewise policies check` lists all faults of a policy ([writing-policies.md](writing-policies.md)).',
  links: {},
  sections: {
    '': {
      schema: 'elsewise.policy/v1',
      name: 'retail-credit',
      target: 'approved',
      cost: { norm: 'l1', weights: 'mad' },
      features: {
        age: { change: 'never' },
        income: { change: 'increase', max: 9000, step: 50 },
        housing: { allow: ['own', 'rent'] },
      },
      constraints: ['income >= 100 * age - 4000'],
      maxChanges: 2,
      count: 3,
      margin: 0.02,
    },
    target: [
      { value: 210, tolerance: 5 },
      { from: 0.6, to: 1 },
    ],
    cost: { norm: 'l1', weights: { income: 0.001, housing: 2 } },
    'features.NAME': { change: 'increase', max: 9000, maxIncrease: 1000, step: 50 },
    plausibility: { method: 'isolation-forest', atLeast: 0.05 },
    reasons: { count: 4, reference: 'population' },
    path: { method: 'knn', k: 3 },
    overlay: {
      features: { income: { max: 2500 }, housing: { change: 'never' } },
      difficulty: { income: 0.5 },
      maxChanges: 2,
    },
    'overlay.features.NAME': { change: 'increase', max: 2500 },
  },
};

const MODEL = {
  schema: 'model',
  heading: 'The document',
  introduction:
    'A model is a JSON file. `export_model` of the Python package and `elsewise models import` write it. The keys of `parameters` depend on the family: each family has a section below.',
  links: {
    translations: 'object, see [`translations`](labels.md#translations)',
    'features.[].translations': 'object, see [`features.NAME.translations`](labels.md#featuresnametranslations)',
  },
  sections: {
    '': {
      schema: 'elsewise.model/v1',
      name: 'credit',
      family: 'logistic-regression',
      features: [
        { name: 'age', type: 'integer', min: 18, max: 100, unit: 'years' },
        { name: 'income', type: 'continuous', min: 0, decimals: 0, unit: 'EUR/month' },
      ],
      classes: ['rejected', 'approved'],
      parameters: { weights: [0.01, 0.002], bias: -5 },
    },
    'features[]': [
      {
        type: 'continuous',
        name: 'rent',
        min: 0,
        decimals: 2,
        unit: 'EUR/month',
        translations: { de: { label: 'Miete', unit: 'EUR/Monat' }, fr: { label: 'loyer', unit: 'EUR/mois' } },
      },
      { type: 'integer', name: 'yearsAtJob', min: 0, max: 50, unit: 'years' },
      { type: 'boolean', name: 'hasGuarantor', label: 'has a guarantor' },
      {
        type: 'categorical',
        name: 'education',
        categories: ['school', 'bachelor', 'master'],
        encoding: 'ordinal',
        categoryLabels: { bachelor: 'first degree', master: 'second degree' },
      },
    ],
    'preprocessing[]': [
      { type: 'scale', mean: [41, 2300], scale: [12, 900] },
      {
        type: 'affine',
        matrix: [
          [1, 0],
          [0, 0.001],
        ],
        offset: [0, -2],
      },
      { type: 'impute', values: [null, 2300] },
      { type: 'monotone', functions: [null, 'yeo-johnson'], powers: [0, 0.3] },
    ],
    decision: {
      calibration: { type: 'mean', of: [{ type: 'sigmoid', slope: -1.8, intercept: 0.2 }] },
      threshold: 0.6,
      bands: [
        { name: 'A', from: 0.9 },
        { name: 'B', from: 0.7 },
      ],
    },
    'decision.calibration': [
      {
        type: 'mean',
        of: [
          { type: 'sigmoid', slope: -1.8, intercept: 0.2 },
          { type: 'sigmoid', slope: -2.1, intercept: 0 },
        ],
      },
      { type: 'isotonic', scores: [0.1, 0.4, 0.8], values: [0.05, 0.5, 0.5] },
      { type: 'sigmoid', slope: -1.8, intercept: 0.2 },
      { type: 'beta', a: 1.2, b: 0.9, c: 0.1 },
    ],
    'decision.calibration.of[]': [
      { type: 'isotonic', scores: [0.1, 0.4], values: [0.05, 0.5], interpolation: 'steps' },
      { type: 'sigmoid', slope: -2.1, intercept: 0 },
      { type: 'beta', a: 1, b: 1, c: 0 },
    ],
    'decision.bands[]': { name: 'A', from: 0.9 },
    background: {
      mad: { age: 8, income: 640 },
      samples: [
        [41, 2300],
        [29, 1800],
      ],
      labels: ['rejected', 'rejected'],
    },
    'background.covariance': {
      features: ['age', 'income'],
      matrix: [
        [144, 900],
        [900, 810_000],
      ],
    },
    'background.isolationForest': { trees: [isolating], offset: -0.5 },
    'background.isolationForest.trees[]': isolating,
    'background.autoencoder': {
      encoderLayers: 1,
      layers: [
        { weights: [[0.01, 0.0005]], bias: [0], activation: 'tanh' },
        { weights: [[40], [2000]], bias: [20, 900], activation: 'identity' },
      ],
    },
    'background.autoencoder.layers[]': {
      weights: [
        [1, 0],
        [0, 1],
      ],
      bias: [0, 0],
      activation: 'identity',
    },
    'background.mixture': {
      features: ['age', 'income'],
      weights: [1],
      means: [[41, 2300]],
      covariances: [
        [
          [144, 0],
          [0, 810_000],
        ],
      ],
    },
    probes: { rows: [[40, 2300]], scores: [[0.5, 0.5]] },
    'hyperplane: parameters': { weights: [0.01, 0.002], bias: -5 },
    'logistic-regression: parameters': { weights: [0.01, 0.002], bias: -5, threshold: 0.5 },
    'softmax-regression: parameters': {
      weights: [
        [-0.01, -0.001],
        [0.01, 0.001],
      ],
      bias: [2.5, -2.5],
    },
    'lda: parameters': [
      {
        weights: [
          [-0.01, -0.001],
          [0.01, 0.001],
        ],
        bias: [2.5, -2.5],
      },
      {
        means: [
          [35, 1800],
          [45, 2900],
        ],
        covariance: [
          [144, 0],
          [0, 810_000],
        ],
        priors: [0.6, 0.4],
      },
    ],
    'linear-regression: parameters': { weights: [0.5, 0.01], bias: 20 },
    'poisson-regression: parameters': { weights: [0.01, 0.0002], bias: 0.5 },
    'exponential-regression: parameters': { weights: [-0.01, -0.0002], bias: -0.5 },
    'gaussian-naive-bayes: parameters': {
      means: [
        [35, 1800],
        [45, 2900],
      ],
      variances: [
        [100, 490_000],
        [144, 810_000],
      ],
      priors: [0.6, 0.4],
    },
    'qda: parameters': {
      means: [
        [35, 1800],
        [45, 2900],
      ],
      covariances: [
        [
          [100, 0],
          [0, 490_000],
        ],
        [
          [144, 900],
          [900, 810_000],
        ],
      ],
      priors: [0.6, 0.4],
    },
    'lvq: parameters': {
      prototypes: [
        [35, 1800],
        [45, 2900],
      ],
      labels: ['rejected', 'approved'],
    },
    'decision-tree: parameters': { tree, task: 'classification' },
    'tree-ensemble: parameters': {
      trees: [boosted, boosted],
      aggregation: 'mean',
      link: 'logit',
      members: [
        { trees: 1, weight: 2 },
        { trees: 1, weight: 1 },
      ],
    },
    'tree-ensemble: parameters.members[]': { trees: 1, weight: 2 },
    'isolation-forest: parameters': { trees: [isolating], offset: -0.5 },
    'additive: parameters': {
      intercept: -0.4,
      terms: [
        { feature: 'age', cuts: [25, 40], values: [-0.5, 0, 0.4], missing: 0 },
        { feature: 'income', cuts: [1500, 2500], values: [-0.8, 0.1, 0.9] },
      ],
      link: 'logit',
      threshold: 0.6,
    },
    'additive: parameters.odds': { points: 600, odds: 50, double: 20 },
    'additive: parameters.terms[]': [
      { feature: 'income', cuts: [1500, 2500], values: [-0.8, 0.1, 0.9], missing: -0.6 },
      { feature: 'housing', categories: { own: 0.5, rent: -0.3 }, other: 0, missing: -0.2 },
      {
        features: ['income', 'housing'],
        axes: [
          { cuts: [1500], missing: true },
          { categories: ['own'], other: true },
        ],
        values: [
          [0.1, -0.1],
          [0.2, 0],
          [0, 0],
        ],
      },
    ],
    'additive: parameters.terms[].axes[]': { cuts: [1500], comparison: '<=', missing: true },
    'knn: parameters': {
      samples: [
        [35, 1800],
        [45, 2900],
        [50, 3100],
      ],
      labels: ['rejected', 'approved', 'approved'],
      k: 1,
    },
    'kernel-svm: parameters': {
      supportVectors: [
        [35, 1800],
        [45, 2900],
      ],
      kernel: { type: 'rbf', gamma: 0.000001 },
      dualCoefficients: [-1, 1],
      intercept: 0,
    },
    'kernel-svm: parameters.kernel': { type: 'poly', gamma: 0.001, coef0: 1, degree: 2 },
    'mlp: parameters': {
      layers: [
        {
          weights: [
            [0.01, 0.001],
            [-0.01, 0.0005],
          ],
          bias: [0, 0],
          activation: 'relu',
        },
        { weights: [[1, -1]], bias: [-1], activation: 'logistic' },
      ],
    },
    'mlp: parameters.layers[]': {
      weights: [
        [0.01, 0.001],
        [0, 0.002],
      ],
      bias: [0, -1],
      activation: 'tanh',
    },
    'black-box: parameters': {
      scorer: { type: 'http', url: 'http://127.0.0.1:8080/score', version: '3' },
      outputs: 'probabilities',
    },
    'black-box: parameters.scorer': [
      { type: 'http', url: 'http://127.0.0.1:8080/score', rows: 'columns' },
      { type: 'mlflow', url: 'http://127.0.0.1:5001' },
      { type: 'open-inference', url: 'http://127.0.0.1:8000', model: 'credit', modelVersion: '2' },
      { type: 'onnx', file: 'credit.onnx' },
    ],
  },
};

const proof = { kind: 'optimal', lowerBound: 0.31, gap: 0 };
const change = { feature: 'income', from: 2100, to: 2300 };
const answer = {
  features: { age: 41, income: 2300 },
  prediction: 'approved',
  score: 0.5025,
  changes: [change],
  cost: 0.31,
  distances: { l0: 1, l1: 200, l2: 200 },
  solver: 'hyperplane',
  proof,
};
const region = { features: { income: { from: 2300, to: 9000 } }, proof: { kind: 'proved', maximal: true } };
const step = {
  sample: 7,
  features: { age: 41, income: 2350 },
  prediction: 'approved',
  score: 0.53,
  changes: [{ ...change, to: 2350 }],
  cost: 0.39,
};
const relaxation = { entry: 'features.income.max', cost: 0.31, changes: [change], proof };
const reason = {
  code: 'blocked',
  message: 'no answer exists under the policy',
  blocking: ['features.income.max'],
  minimal: true,
  relaxation,
};

const RESULT = {
  schema: 'result',
  heading: 'The document',
  introduction: 'A run writes one result for each row, in the order of the input. Each result is one line of JSON.',
  links: {
    target: '[`target`](policy.md#target) of the policy; or `null`',
    'counterfactuals.[].target': '[`target`](policy.md#target) of a policy',
    'targets.[].target': '[`target`](policy.md#target) of a policy',
  },
  sections: {
    '': {
      schema: 'elsewise.result/v1',
      id: 'a-17',
      status: 'found',
      model: { name: 'credit', version: 3, digest: 'sha256:...' },
      policy: { name: 'retail-credit', digest: 'sha256:...' },
      target: 'approved',
      factual: { features: { age: 41, income: 2100 }, prediction: 'rejected', score: 0.4035 },
      counterfactuals: [answer],
      attempts: [{ solver: 'hyperplane', outcome: 'solved', ms: 0.01 }],
      degraded: false,
      seed: 0,
      elapsedMs: 0.02,
    },
    model: { name: 'credit', version: 3, digest: 'sha256:...' },
    policy: { name: 'retail-credit', digest: 'sha256:...' },
    defaults: { bounds: 'background', weights: 'mad' },
    factual: { features: { age: 41, income: 2100 }, prediction: 'rejected', score: 0.4035 },
    decision: { threshold: 0.6, band: 'C', calibrated: true },
    'counterfactuals[]': answer,
    'counterfactuals[].changes[]': change,
    'counterfactuals[].distances': { l0: 1, l1: 200, l2: 200 },
    'counterfactuals[].proof': { kind: 'gap', lowerBound: 0.3, gap: 0.0323 },
    'counterfactuals[].region': region,
    'counterfactuals[].region.features.NAME': [{ from: 2300, to: 9000 }, { in: ['own', 'rent'] }],
    'counterfactuals[].region.proof': { kind: 'proved', maximal: false },
    'counterfactuals[].path': { length: 0.39, steps: [step] },
    'counterfactuals[].path.steps[]': step,
    'counterfactuals[].plausibility': { person: 0.41, answer: 0.37 },
    reason,
    'reason.faults[]': { path: 'features.age', message: 'expected a whole number, got "41.5"' },
    'reason.plausibility': { person: 0.02 },
    'reason.relaxation': relaxation,
    'reasons[]': { feature: 'income', value: 2100, contribution: -0.4, share: 0.8, alone: true },
    'levers[]': { lever: 'income', status: 'infeasible', reason },
    'targets[]': { target: 'A', status: 'infeasible', reason },
    'attempts[]': { solver: 'branch', outcome: 'limit', ms: 12.5 },
  },
};

const digest = `sha256:${'0123456789abcdef'.repeat(4)}`;
const pin = { name: 'credit', version: 3, digest };
const POLICY_LINKS = {
  policy: 'text; or a [policy document](policy.md)',
  target: '[`target`](policy.md#target) of a policy',
};
const event = {
  id: 'a-17',
  model: 'credit@production',
  policy: 'retail@production',
  features: { age: 41, income: 2100 },
};

const ended = {
  ...{ id: 'monday', state: 'done', created: '2026-01-05T08:00:00Z', by: 'cli' },
  ...{ model: { name: pin.name, version: pin.version, digest }, policy: { name: 'retail-credit', digest } },
  ...{ rows: 3000, answered: 3000, counts: { found: 2900, already: 100 }, chunks: 12, chunksDone: 12, chunksFailed: 0 },
  results: '/v1/batches/monday/results',
};

const messages = [
  {
    schema: 'request',
    heading: 'Request',
    introduction: 'One row for the stream `elsewise:requests`, as JSON in the field `body`.',
    links: POLICY_LINKS,
    sections: { '': { schema: 'elsewise.request/v1', ...event, target: 'approved' }, model: pin },
  },
  {
    schema: 'event-job',
    heading: 'Event job',
    introduction: 'One row for the queue `elsewise-events`.',
    links: { ...POLICY_LINKS, model: 'text; or object, see [`model`](#model)' },
    sections: { '': { schema: 'elsewise.event-job/v1', ...event } },
  },
  {
    schema: 'event-return',
    heading: 'Return value of an event job',
    introduction: 'The return value tells where the result is. The result itself is under `elsewise:result:<id>`.',
    links: {},
    sections: { '': { schema: 'elsewise.event-return/v1', id: 'a-17', key: '5f2b0c9d', status: 'found', isNew: true } },
  },
  {
    schema: 'batch',
    heading: 'Batch',
    introduction: 'The manifest of a batch. The producer writes the manifest once.',
    links: { model: 'object, see [`model`](#model)', 'policy.document': '[policy document](policy.md)' },
    sections: {
      '': {
        schema: 'elsewise.batch/v1',
        id: 'monday',
        model: pin,
        policy: { digest, document: { schema: 'elsewise.policy/v1', target: 'approved' } },
        layout: { format: 'ndjson' },
        chunkRows: 500,
        ttlSeconds: 604_800,
        by: 'cli',
        created: '2026-01-05T08:00:00Z',
      },
      policy: { digest, document: { schema: 'elsewise.policy/v1', target: 'approved' }, version: 2 },
      layout: [
        { format: 'ndjson' },
        { format: 'csv', delimiter: ',', columns: 3, featureColumns: [1, 2], idColumn: 0, targetColumn: -1 },
      ],
      probe: { rows: 64, msPerRow: 0.4 },
    },
  },
  {
    schema: 'chunk-job',
    heading: 'Chunk job',
    introduction: 'One chunk of a batch, on the queue `elsewise-bulk`.',
    links: { model: 'object, see [`model`](#model)' },
    sections: {
      '': {
        schema: 'elsewise.chunk-job/v1',
        batch: 'monday',
        chunk: 0,
        firstRow: 1,
        rows: 500,
        digest,
        model: pin,
        policy: digest,
      },
    },
  },
  {
    schema: 'chunk-return',
    heading: 'Return value of a chunk job',
    introduction: 'The return value tells whether the results are stored.',
    links: {},
    sections: { '': { schema: 'elsewise.chunk-return/v1', batch: 'monday', chunk: 0, rows: 500, outcome: 'stored' } },
  },
  {
    schema: 'dead-letter',
    heading: 'Dead letter',
    introduction: 'A request or job that was given up. `elsewise dead list` shows the letters.',
    links: {},
    sections: {
      '': {
        schema: 'elsewise.dead-letter/v1',
        id: 'requests-1700000000000-0',
        source: 'requests',
        origin: '1700000000000-0',
        code: 'bad-json',
        message: 'the request is not valid JSON',
        attempts: 1,
        at: '2026-01-05T08:00:00Z',
        body: '{"id": "a-17", ',
        isCut: false,
      },
      'faults[]': { path: 'policy.features.agee', message: 'unknown feature, did you mean "age"?' },
    },
  },
  {
    schema: 'webhook',
    heading: 'Webhook',
    introduction:
      'The body of the request to the address of a batch, when the batch has ended ([api.md](api.md#webhook-at-the-end-of-a-batch)).',
    links: { 'batch.model': 'object, see [`model`](#model)' },
    sections: {
      '': { schema: 'elsewise.webhook/v1', type: 'batch.done', batch: ended },
      batch: ended,
      'batch.policy': ended.policy,
    },
  },
];

const inGerman = { label: 'Wohnsituation', categoryLabels: { own: 'Eigentum', rent: 'Miete' } };
const GERMAN_CLASSES = { classLabels: { rejected: 'abgelehnt', approved: 'genehmigt' } };
const LABELS = {
  schema: 'labels',
  heading: 'The document',
  introduction:
    'A document of labels is a JSON file for `elsewise letters --labels`. A model document has the same keys beside its features and classes; `unit` beside a feature is a text there. Names of the document of labels take precedence, and names of a language over names of all languages ([letters.md](letters.md)).',
  links: {},
  sections: {
    '': {
      schema: 'elsewise.labels/v1',
      features: { income: { label: 'monthly income', unit: 'EUR per month' } },
      classLabels: { rejected: 'not granted', approved: 'granted' },
    },
    'features.NAME': {
      label: 'housing',
      categoryLabels: { own: 'own home', rent: 'rented home' },
      translations: { de: inGerman },
    },
    'features.NAME.unit': { one: 'instalment', other: 'instalments' },
    'features.NAME.translations': { de: inGerman, fr: { label: 'logement' } },
    'features.NAME.translations.en': { label: 'housing', categoryLabels: { own: 'own home', rent: 'rented home' } },
    translations: { de: GERMAN_CLASSES },
    'translations.en': { classLabels: { rejected: 'not granted', approved: 'granted' } },
  },
};

const generated = (keys, file) =>
  `This page is generated from the descriptions of the ${keys} (\`npm run schemas\`). [${file}](../${file}) has the same as JSON Schema.`;

/** By file in docs/. */
const OFFER = {
  changes: { income: 2600 },
  prediction: 'approved',
  score: 0.52,
  cost: 0.78,
  proof: { kind: 'optimal', lowerBound: 0.78, gap: 0 },
};
const DIGEST = `sha256:${'3f'.repeat(32)}`;

const RECEIPT = {
  schema: 'receipt',
  heading: 'The payload',
  introduction: 'The payload of a signed receipt. `iat`, `exp` and `iss` are claims of JSON Web Tokens.',
  links: {},
  sections: {
    '': {
      schema: 'elsewise.receipt/v1',
      iss: 'Example Bank',
      iat: 1795046400,
      exp: 1797638400,
      validUntil: '2026-12-18',
      software: 'elsewise 0.1.0',
      id: 'a-0017',
      input: DIGEST,
      model: { name: 'credit', version: 3, digest: DIGEST },
      policy: { name: 'retail-credit', digest: DIGEST },
      target: 'approved',
      status: 'found',
      decision: { prediction: 'rejected', score: 0.31 },
      offers: [OFFER],
    },
    model: { name: 'credit', version: 3, digest: DIGEST },
    policy: { name: 'retail-credit', digest: DIGEST },
    target: [
      { value: 210, tolerance: 5 },
      { from: 0.6, to: 1 },
    ],
    decision: { prediction: 'rejected', score: 0.31 },
    'offers[]': OFFER,
    'offers[].proof': { kind: 'optimal', lowerBound: 0.78, gap: 0 },
  },
};

const SIGNED_RECEIPT = {
  schema: 'signed-receipt',
  heading: 'The signed receipt',
  introduction: 'The line of a file of receipts, and the answer over HTTP.',
  links: {},
  sections: {
    '': {
      schema: 'elsewise.signed-receipt/v1',
      id: 'a-0017',
      validUntil: '2026-12-18',
      receipt: 'eyJhbGciOiJFZERTQSJ9.eyJzY2hlbWEiOiJlbHNld2lzZS5yZWNlaXB0L3YxIn0.c2lnbmF0dXJl',
    },
  },
};

export const PAGES = {
  'policy.md': {
    title: 'Policy reference',
    introduction: `A policy says which features may change, at what cost, and towards which target. ${generated('keys', 'schemas/policy.json')}`,
    documents: [POLICY],
  },
  'model.md': {
    title: 'Model reference',
    introduction: `A model document has the features, the classes and the numbers of a trained model. ${generated('keys', 'schemas/model.json')}`,
    documents: [MODEL],
  },
  'labels.md': {
    title: 'Labels reference',
    introduction: `Labels are names for people: of features, units, categories and classes, in the languages of letters. ${generated('keys', 'schemas/labels.json')}`,
    documents: [LABELS],
  },
  'result.md': {
    title: 'Result reference',
    introduction: `A result tells the outcome of one row. ${generated('keys', 'schemas/result.json')}`,
    documents: [RESULT],
  },
  'receipt.md': {
    title: 'Receipt reference',
    introduction: `A receipt is a signed statement about the result of one row ([receipts.md](receipts.md)). ${generated('keys', 'schemas/receipt.json')}`,
    documents: [RECEIPT, SIGNED_RECEIPT],
  },
  'messages.md': {
    title: 'Message reference',
    introduction: `Messages are the documents of queues and streams: events, batches and dead letters. ${generated('keys', 'schemas/')}`,
    documents: messages,
  },
};
