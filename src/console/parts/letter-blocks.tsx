/** Parts of a letter as elements of a page: the same words as in the letter itself. */
import type { LetterBlock } from '../../report/letters/letter-parts.js';

export function LetterBlocks({ blocks }: { blocks: readonly LetterBlock[] }) {
  return (
    <>
      {blocks.map((block, k) => (
        <Block key={k} block={block} />
      ))}
    </>
  );
}

function Block({ block }: { block: LetterBlock }) {
  switch (block.kind) {
    case 'paragraph':
      return <p>{block.text}</p>;
    case 'subheading':
      return <h3>{block.text}</h3>;
    case 'changes':
      return (
        <dl class={block.isAnswer ? 'changes' : 'changes barred'}>
          {block.items.map(({ label, value }) => (
            <div key={label}>
              <dt>{label}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
      );
    case 'list':
    case 'steps':
      return (
        <ul>
          {block.items.map((text) => (
            <li key={text}>{text}</li>
          ))}
        </ul>
      );
    default:
      return null;
  }
}
