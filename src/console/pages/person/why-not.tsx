/** The reason why there is no plan, or that nothing has to change, in the words of the letter. No path of the policy appears. */
import type { OverlayInput, PolicyDocument, PolicyInput } from '../../../documents/policy-document.js';
import type { ResultDocument } from '../../../documents/result-document.js';
import { composeLetter, wasRead } from '../../../report/letters/compose-letter.js';
import { letterContext } from '../../../report/letters/letter-context.js';
import { LetterBlocks } from '../../parts/letter-blocks.js';
import type { Population } from './population.js';

interface WhyNotProps {
  readonly result: ResultDocument;
  readonly population: Population;
  /** The policy and the wishes of the result. Undefined: not known. Rules are then told without numbers. */
  readonly policy: PolicyInput | undefined;
  readonly overlay: OverlayInput | undefined;
}

export function WhyNot({ result, population, policy, overlay }: WhyNotProps) {
  if (!wasRead(result)) return <Unreadable result={result} />;
  const { features, classes, classLabels } = population;
  const context = letterContext({
    ...{ language: 'en', details: {}, policy: policy && wholePolicy(policy, overlay) },
    model: { features: [...features], classes: [...classes], classLabels },
  });
  const { explanation, decision } = composeLetter(result, context).sections;
  const title = explanation ? 'Why not?' : 'Nothing has to change';
  const blocks = explanation
    ? explanation.blocks
    : decision!.blocks.filter(({ kind }) => kind === 'paragraph').slice(1);
  return (
    <article class="card why-not">
      <h2>{title}</h2>
      <LetterBlocks blocks={blocks} />
    </article>
  );
}

/** The keys that words read, with their defaults. */
const wholePolicy = (policy: PolicyInput, overlay: OverlayInput | undefined) =>
  ({
    features: {},
    constraints: [],
    ...policy,
    ...(overlay && { overlay: { features: {}, difficulty: {}, ...overlay } }),
  }) as unknown as PolicyDocument;

function Unreadable({ result: { reason } }: { result: ResultDocument }) {
  return (
    <article class="card why-not">
      <h2>The details cannot be read</h2>
      <ul>
        {(reason?.faults ?? [reason]).map((fault) => (
          <li key={fault?.message}>{fault?.message}</li>
        ))}
      </ul>
    </article>
  );
}
