/** The reason why there is no plan, or that nothing has to change, in the words of the letter. No path of the policy appears. */
import type { ResultDocument } from '../../../documents/result-document.js';
import { composeLetter, type ReadResult, wasRead } from '../../../report/letters/compose-letter.js';
import type { LetterContext } from '../../../report/letters/letter-context.js';
import { type LetterBlock, paragraph } from '../../../report/letters/letter-parts.js';
import { LetterBlocks } from '../../parts/letter-blocks.js';

interface WhyNotProps {
  readonly result: ResultDocument;
  readonly facts: LetterContext;
  readonly isItsModel: boolean;
}

export function WhyNot({ result, facts, isItsModel }: WhyNotProps) {
  if (!wasRead(result)) return <Unreadable result={result} />;
  const { explanation } = composeLetter(result, facts).sections;
  const blocks = explanation?.blocks ?? reachedBlocks(result, facts, isItsModel);
  return <Card title={explanation ? 'Why not?' : 'Nothing has to change'} blocks={blocks} />;
}

/** The targets of several to which no plan leads: reached already, or why not. */
export function OtherTargets({ result, facts }: Pick<WhyNotProps, 'result' | 'facts'>) {
  const targets = result.targets?.filter(({ status }) => status !== 'found') ?? [];
  if (!targets.length || !wasRead(result)) return null;
  const { explanation } = composeLetter({ ...result, targets }, facts).sections;
  return <Card title="Other targets" blocks={explanation?.blocks ?? []} />;
}

function Card({ title, blocks }: { title: string; blocks: readonly LetterBlock[] }) {
  return (
    <article class="card why-not">
      <h2>{title}</h2>
      <LetterBlocks blocks={blocks} />
    </article>
  );
}

/** The first paragraph says that the assessment was automated. The scores of a model that is not here mean nothing. */
function reachedBlocks(result: ReadResult, facts: LetterContext, isItsModel: boolean): readonly LetterBlock[] {
  if (!isItsModel) return [paragraph(facts.words.decision.already)];
  const { blocks } = composeLetter(result, facts).sections.decision!;
  return blocks.filter(({ kind }) => kind === 'paragraph').slice(1);
}

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
