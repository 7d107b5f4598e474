/** A comparison in pictures: people by outcome, costs, changes, and the entries that stand in the way. The sentences say the same. */
import type { ComparisonDocument } from '../../../documents/comparison-document.js';
import { formatFigure, formatNumber } from '../../../report/numbers.js';
import { nameInWords } from '../../../report/words.js';
import { CostPicture } from './cost-picture.js';

/** `names`: the sides in words. Without a first name only the second side is shown. */
interface ViewProps {
  readonly of: ComparisonDocument;
  readonly names: readonly [string | undefined, string];
  readonly isBusy: boolean;
}

type Summary = ComparisonDocument['before'];

const OUTCOMES = [
  { status: 'found', title: 'answers found', tone: 'yes' },
  { status: 'infeasible', title: 'no answer, proved', tone: 'no' },
  { status: 'not-found', title: 'nothing found', tone: '' },
  { status: 'already', title: 'have the target', tone: '' },
] as const;
const MOST_BARS = 8;

export function ComparisonView({ of, names, isBusy }: ViewProps) {
  const { before, after, words, cost } = of;
  const first = names[0] === undefined ? undefined : before;
  return (
    <div class="comparison" aria-busy={isBusy}>
      <div class="tiles">
        {OUTCOMES.map(({ status, title, tone }) => (
          <Tile key={status} title={title} tone={tone} now={after.statuses[status]} was={first?.statuses[status]} />
        ))}
        <Tile
          title={cost.comparable ? 'median cost' : 'median cost, other units'}
          tone=""
          now={after.cost?.median}
          was={cost.comparable ? first?.cost?.median : undefined}
        />
      </div>
      {first && <Legend names={names as readonly [string, string]} />}
      <div class="pictures">
        {of.costHistogram && (
          <figure class="card">
            <figcaption>Cost of the cheapest answer</figcaption>
            <CostPicture histogram={of.costHistogram} hasFirst={first !== undefined && cost.comparable} />
          </figure>
        )}
        <Bars title="What has to change" now={changeShares(after)} was={first && changeShares(first)} />
        <Bars title="What stands in the way" now={blocking(after)} was={first && blocking(first)} />
      </div>
      {first && (
        <div class="card" role="status">
          <h3>In words</h3>
          {words.map((sentence) => (
            <p key={sentence}>{sentence}</p>
          ))}
        </div>
      )}
    </div>
  );
}

interface TileProps {
  readonly title: string;
  readonly tone: string;
  readonly now: number | undefined;
  readonly was: number | undefined;
}

function Tile({ title, tone, now, was }: TileProps) {
  const show = (value: number) => (Number.isInteger(value) ? formatNumber(value) : formatFigure(value));
  return (
    <div class="card tile">
      <strong class={tone}>{now === undefined ? '–' : show(now)}</strong>
      <span>{title}</span>
      {was !== undefined && <span class="quiet">{was === now ? 'as before' : `before: ${show(was)}`}</span>}
    </div>
  );
}

function Legend({ names: [before, after] }: { names: readonly [string, string] }) {
  return (
    <p class="legend quiet">
      <i class="was" /> {before} <i class="now" /> {after}
    </p>
  );
}

interface Bar {
  readonly name: string;
  readonly share: number;
  readonly text: string;
}

const changeShares = ({ changes }: Summary): Bar[] =>
  changes.map(({ feature, answers: { share, people } }) => ({
    name: nameInWords(feature),
    share,
    text: `${formatNumber(people)} of the answers`,
  }));

const blocking = ({ reasons, statuses: { infeasible } }: Summary): Bar[] =>
  reasons.blocking.map(({ entry, people }) => ({
    name: entryInWords(entry),
    share: people / infeasible,
    text: `${people} people`,
  }));

/** `late payments 12m: change` */
const entryInWords = (entry: string): string =>
  entry.replace(
    /^features\.(.+)\.(\w+)$/,
    (_, feature: string, key: string) => `${nameInWords(feature)}: ${nameInWords(key)}`,
  );

function Bars({ title, now, was = [] }: { title: string; now: readonly Bar[]; was?: readonly Bar[] | undefined }) {
  const names = [...new Set([...now, ...was].map(({ name }) => name))].slice(0, MOST_BARS);
  if (names.length === 0) return null;
  const shareIn = (bars: readonly Bar[], name: string) => bars.find((bar) => bar.name === name);
  return (
    <section class="card">
      <h3>{title}</h3>
      <table class="bars">
        <tbody>
          {names.map((name) => {
            const [one, other] = [shareIn(was, name), shareIn(now, name)];
            return (
              <tr key={name}>
                <th scope="row">{name}</th>
                <td>
                  <Track was={was.length ? (one?.share ?? 0) : undefined} now={other?.share ?? 0} />
                </td>
                <td class="number" title={other?.text}>
                  {Math.round(100 * (other?.share ?? 0))} %
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </section>
  );
}

function Track({ was, now }: { was: number | undefined; now: number }) {
  return (
    <svg class="track" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">
      <rect class="ground" width={100} height={10} rx={2} />
      <rect class="now" width={100 * now} height={10} rx={2} />
      {was !== undefined && (
        <rect class="was" x={Math.min(98.5, Math.max(0, 100 * was - 0.75))} width={1.5} height={10} />
      )}
    </svg>
  );
}
