/** Results of a small model with names in three languages, and their letters. */
import type { LabelsDocument, Language } from '../../src/documents/labels/label-document.js';
import type { ResultDocument } from '../../src/documents/result-document.js';
import { prepare } from '../../src/explain/plan.js';
import { thresholdsOf } from '../../src/models/decision/common-thresholds.js';
import { type LoadedModel, loadModel } from '../../src/models/load.js';
import { loadPolicy } from '../../src/policy/policy.js';
import { composeLetter, type ReadResult, wasRead } from '../../src/report/letters/compose-letter.js';
import { HTML_TEMPLATE, TEXT_TEMPLATE } from '../../src/report/letters/default-templates.js';
import { type LetterDetails, letterContext } from '../../src/report/letters/letter-context.js';
import type { PersonLetter } from '../../src/report/letters/letter-parts.js';
import { fillTemplate, parseTemplate } from '../../src/report/letters/letter-template.js';

const named = (en: string, de: string, fr: string) => ({
  label: en,
  translations: { de: { label: de }, fr: { label: fr } },
});

/** P(approved) = 1 / (1 + e^-(0.001 income - 0.002 debt + 0.5 guarantor + [0.5, 0, -0.5] housing - 3)), threshold 0.6. */
export function loanModel() {
  return {
    schema: 'elsewise.model/v1',
    name: 'loans',
    family: 'logistic-regression',
    features: [
      {
        name: 'incomeTotal',
        type: 'continuous',
        min: 0,
        decimals: 0,
        label: 'monthly income',
        unit: 'EUR per month',
        translations: {
          de: { label: 'monatliches Einkommen', unit: 'EUR pro Monat' },
          fr: { label: 'revenu mensuel', unit: 'EUR par mois' },
        },
      },
      {
        name: 'debtTotal',
        type: 'integer',
        min: 0,
        unit: 'EUR',
        ...named('monthly debt', 'monatliche Raten', 'dettes mensuelles'),
      },
      { name: 'isGuaranteed', type: 'boolean', ...named('guarantor', 'Bürgschaft', 'caution') },
      {
        name: 'housingKind',
        type: 'categorical',
        categories: ['own', 'rent', 'free'],
        label: 'housing',
        categoryLabels: { own: 'own home', rent: 'rented home', free: 'free of charge' },
        translations: {
          de: { label: 'Wohnsituation', categoryLabels: { own: 'Eigentum', rent: 'Miete', free: 'mietfrei' } },
          fr: { label: 'logement', categoryLabels: { own: 'propriétaire', rent: 'locataire', free: 'hébergé' } },
        },
      },
    ],
    classes: ['rejected', 'approved'],
    translations: {
      de: { classLabels: { rejected: 'abgelehnt', approved: 'genehmigt' } },
      fr: { classLabels: { rejected: 'refusé', approved: 'accordé' } },
    },
    parameters: { weights: [0.001, -0.002, 0.5, 0.5, 0, -0.5], bias: -3, threshold: 0.6 },
  };
}

export function loanPolicy() {
  return {
    schema: 'elsewise.policy/v1',
    name: 'fair lending',
    target: 'approved',
    cost: { norm: 'l1', weights: { incomeTotal: 0.01, debtTotal: 0.02 } },
    features: { incomeTotal: { change: 'increase', step: 50 }, debtTotal: { change: 'decrease', min: 0 } },
  };
}

export const PERSON = { incomeTotal: 2000, debtTotal: 200, isGuaranteed: false, housingKind: 'rent' };

export interface Question {
  readonly model?: object;
  readonly policy?: object;
  readonly features?: object;
  readonly target?: unknown;
  readonly id?: string;
}

/** The result of the engine itself. */
export async function resultOf({
  model,
  policy,
  features,
  target,
  id = 'a-17',
}: Question = {}): Promise<ResultDocument> {
  const plan = await prepare(loadModel(model ?? loanModel()), loadPolicy({ ...loanPolicy(), ...policy }));
  return plan.explain({ id, features: { ...PERSON, ...features }, target } as Parameters<typeof plan.explain>[0]);
}

export interface Asked {
  readonly language?: Language;
  readonly model?: object;
  /** Null: the policy is not known. */
  readonly policy?: object | null;
  readonly labels?: LabelsDocument;
  readonly details?: LetterDetails;
}

export interface Written {
  readonly letter: PersonLetter;
  readonly html: string;
  readonly text: string;
}

export function letterOf(result: ResultDocument, asked: Asked = {}): Written {
  const { language = 'en', policy = {}, labels, details = {} } = asked;
  if (!wasRead(result)) throw new Error('an invalid row has no letter');
  const loaded: LoadedModel = loadModel(asked.model ?? loanModel());
  const known = policy === null ? undefined : loadPolicy({ ...loanPolicy(), ...policy }).document;
  const sources = { language, model: loaded.document, thresholds: thresholdsOf(loaded), labels, details };
  const context = letterContext({ ...sources, policy: known });
  const letter = composeLetter(result as ReadResult, context);
  const [html, text] = (['html', 'text'] as const).map((form) =>
    fillTemplate(parseTemplate(form === 'html' ? HTML_TEMPLATE : TEXT_TEMPLATE, form, form), letter, context.words),
  );
  return { letter, html, text };
}

/** The text of a letter in one line, with plain spaces: sentences can be looked for whatever the width. */
export const flat = (text: string): string => text.replace(/[\s\u00a0\u202f]+/g, ' ');
