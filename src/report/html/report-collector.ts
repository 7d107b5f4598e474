/** The lines of results, in one pass -> a report. The memory does not grow with the results. */
import { ElsewiseError } from '../../documents/error.js';
import type { FeatureDocument } from '../../documents/model-document.js';
import type { PolicyDocument } from '../../documents/policy-document.js';
import type { SummaryDocument } from '../../documents/summary-document.js';
import { PersonResultReader } from '../summary/person-result.js';
import { SAMPLE_SEED, SMALLEST_GROUP, SummaryCollector } from '../summary/summary-collector.js';
import { acceptBand, type DecisionFacts } from './accept-band.js';
import { Labels } from './labels.js';
import { PeopleSample } from './people.js';
import type { Report } from './report.js';
import { reportPage } from './report-page.js';

/** People in the table. */
export const PEOPLE = 1000;
export const MOST_PEOPLE = 5000;

export interface ReportOptions {
  /** The features by whose values people are grouped. */
  readonly by: readonly string[];
  readonly people?: number;
  readonly smallestGroup?: number;
  readonly seed?: number;
}

/** The documents of the results, as far as they are known. */
export interface ReportSources {
  readonly model?: DecisionFacts & { readonly features: readonly FeatureDocument[] };
  readonly policy?: PolicyDocument;
}

const COST_UNITS: Readonly<Record<string, string>> = { mad: 'units of the MAD', std: 'standard deviations' };

export class ReportCollector {
  readonly #sources: ReportSources;
  readonly #labels: Labels;
  readonly #needsFeatures: boolean;
  readonly #seed: number;
  readonly #reader = new PersonResultReader();
  readonly #collector: SummaryCollector;
  readonly #people: PeopleSample;

  constructor(
    { by, people = PEOPLE, smallestGroup = SMALLEST_GROUP, seed = SAMPLE_SEED }: ReportOptions,
    sources: ReportSources,
  ) {
    this.#sources = sources;
    this.#seed = seed;
    this.#needsFeatures = by.length > 0;
    this.#labels = new Labels(sources.model?.features ?? [], sources.policy);
    this.#collector = new SummaryCollector({ by, smallestGroup, seed });
    this.#people = new PeopleSample(people, seed, this.#labels);
  }

  /** `number`: the place of the line, from 1. */
  add(line: string, number: number): void {
    const person = this.#reader.read(line);
    if (!person) return;
    if (this.#needsFeatures && person.isBrief)
      throw new ElsewiseError(
        'bad-input',
        'a brief result has no values of features, which --by needs: make results without --detail brief, or leave out --by',
      );
    this.#collector.add(person);
    this.#people.add(person, line, number);
  }

  /** `source`: the name of the results. */
  finish(about: Pick<Report, 'source' | 'software' | 'created'>): { summary: SummaryDocument; page: string } {
    const { model, policy } = this.#sources;
    const summary = this.#collector.summarise();
    const page = reportPage({
      ...about,
      summary,
      labels: this.#labels,
      people: this.#people.take(),
      band: acceptBand(summary, model),
      costUnit: COST_UNITS[String(policy?.cost.weights)] ?? '',
      seed: this.#seed,
    });
    return { summary, page };
  }
}
