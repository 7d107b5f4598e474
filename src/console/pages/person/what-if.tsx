/** The score of the values in the form, anew after each pause in typing. */
import { useEffect, useState } from 'preact/hooks';
import { request } from '../../requests.js';
import { classLabel, type Population, type RowOfFeatures } from './population.js';

const PAUSE_MS = 150;

interface WhatIfProps {
  readonly model: string;
  readonly row: RowOfFeatures;
  readonly population: Population;
}

interface Prediction {
  readonly prediction: string | number;
  readonly scores: Readonly<Record<string, number>>;
}

export function WhatIf({ model, row, population }: WhatIfProps) {
  const [words, setWords] = useState('');
  useEffect(() => {
    const ending = new AbortController();
    const asked = { body: { model, features: row }, signal: ending.signal };
    const timer = setTimeout(() => {
      request<Prediction>('POST', '/v1/predictions', asked).then(
        (said) => setWords(`With these details: ${toldOf(said, population)}`),
        (error) => ending.signal.aborted || setWords((error as Error).message),
      );
    }, PAUSE_MS);
    return () => {
      clearTimeout(timer);
      ending.abort();
    };
  }, [model, row]);
  return (
    <p class="what-if" role="status">
      {words}
    </p>
  );
}

/** `Rejected, score for approved 0.383` */
function toldOf({ prediction, scores }: Prediction, population: Population): string {
  const second = population.classes[1];
  const said = classLabel(population, prediction);
  return population.classes.length === 2 && scores[second] !== undefined
    ? `${said} (${classLabel(population, second)} ${scores[second].toFixed(3)})`
    : said;
}
