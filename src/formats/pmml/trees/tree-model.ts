/**
 * TreeModel: the first child whose predicate is true is followed, down to a leaf.
 *
 *   unknown predicate     none: as false;  lastPrediction: the score of the parent;  defaultChild: that child;  nullPrediction: no result
 *   no child is true      the score of the node (returnLastPrediction), or no result
 *
 * Rows without a missing value must have a result. Where rows with a missing value have none, the document takes no missing values.
 */
import { argmax } from '../../../linalg/vector.js';
import type { NodeBudget } from '../../tree-growth.js';
import type { FieldScope } from '../fields/field-scope.js';
import { type Classes, isSingle, type Rescaling, readRescaling } from '../model-context.js';
import type { XmlElement } from '../xml/xml-element.js';
import { type GrownTree, growTree, type RuleMove, type Rules } from './grown-tree.js';
import { type AtomTruth, judge, type Predicate, readPredicate, type Truth } from './predicates.js';

/** A tree that can be grown with or without rooms for missing values. */
export type Seed = (takesMissing: boolean, budget: NodeBudget) => GrownTree;

/** What leaves hold: a number, a share for each class, or the vote for a class. */
export type LeafKind = 'number' | 'shares' | 'votes';

interface PmmlNode {
  readonly id: number;
  readonly element: XmlElement;
  readonly predicate: Predicate;
  readonly children: readonly PmmlNode[];
  readonly defaultChild: PmmlNode | null;
  /** Null: the node has no score. */
  readonly value: readonly number[] | null;
}

/** `next`: the child that is judged next. Null: the root is. */
type State = { readonly node: PmmlNode; readonly next: number } | null;

const STRATEGIES = [
  'none',
  'lastPrediction',
  'nullPrediction',
  'defaultChild',
  'weightedConfidence',
  'aggregateNodes',
] as const;
type Strategy = Exclude<(typeof STRATEGIES)[number], 'weightedConfidence' | 'aggregateNodes'>;

/** `scope`: the fields that the model reads, with its own. */
export function readTree(model: XmlElement, scope: FieldScope, classes: Classes | null, kind: LeafKind): Seed {
  const strategy = model.word('missingValueStrategy', STRATEGIES);
  if (strategy === 'weightedConfidence' || strategy === 'aggregateNodes')
    throw model.refusal(
      `missingValueStrategy="${strategy}", which weighs the leaves of several branches: export with defaultChild, lastPrediction, nullPrediction or none`,
    );
  const leaves = new LeafReader(classes, kind, readRescaling(model), isSingle(model));
  const root = new NodeReader(scope, leaves).read(model.needed('Node'));
  const isLast =
    model.word('noTrueChildStrategy', ['returnNullPrediction', 'returnLastPrediction'] as const) ===
    'returnLastPrediction';
  const rules = new TreeRules(root, strategy, isLast);
  return (takesMissing, budget) => growTree(rules, takesMissing, budget, model.path);
}

class NodeReader {
  private count = 0;

  constructor(
    private readonly scope: FieldScope,
    private readonly leaves: LeafReader,
  ) {}

  read(element: XmlElement): PmmlNode {
    const embedded = element.child('Regression') ?? element.child('DecisionTree');
    if (embedded) throw embedded.refusal('a model inside of a node: use segments of a MiningModel');
    const children = element.all('Node').map((child) => this.read(child));
    const wanted = element.get('defaultChild');
    const defaultChild =
      wanted === undefined ? undefined : children.find((child) => child.element.get('id') === wanted);
    if (wanted !== undefined && !defaultChild)
      throw element.fault(`no child has the id "${wanted.slice(0, 40)}" of defaultChild`);
    return {
      id: this.count++,
      element,
      predicate: readPredicate(element, this.scope.find),
      children,
      defaultChild: defaultChild ?? null,
      value: this.leaves.read(element),
    };
  }
}

class LeafReader {
  constructor(
    private readonly classes: Classes | null,
    private readonly kind: LeafKind,
    private readonly rescaling: Rescaling,
    private readonly isSingle: boolean,
  ) {}

  read(element: XmlElement): number[] | null {
    if (!this.classes) return this.readNumber(element);
    const counts = element.all('ScoreDistribution');
    const score = element.get('score');
    const voted = score === undefined ? null : this.classes.indexOf(score, element);
    if (this.kind === 'votes' || !counts.length) return voted === null ? null : this.vote(voted);
    const shares = this.readShares(counts, element);
    if (voted !== null && argmax(Float64Array.from(shares)) !== voted)
      throw element.refusal(
        `a score, "${score}", that is not the class of most records: write the class with the most records, the first of equals`,
      );
    return shares;
  }

  private readNumber(element: XmlElement): number[] | null {
    if (element.get('score') === undefined) return null;
    const { factor, constant } = this.rescaling;
    const round = this.isSingle ? Math.fround : (value: number) => value;
    return [round(round(round(element.number('score')) * round(factor)) + round(constant))];
  }

  private vote = (index: number): number[] => this.classes!.names.map((_, k) => +(k === index));

  private readShares(counts: readonly XmlElement[], element: XmlElement): number[] {
    const key = counts[0].get('probability') === undefined ? 'recordCount' : 'probability';
    const shares = this.classes!.names.map(() => 0);
    for (const count of counts) shares[this.classes!.indexOf(count.needs('value'), count)] = count.number(key);
    const sum = counts.reduce((total, count) => total + count.number(key), 0);
    if (!(sum > 0)) throw element.fault(`the ${key} of its classes sum to ${sum}`);
    return sum === 1 ? shares : shares.map((share) => share / sum);
  }
}

class TreeRules implements Rules<State> {
  readonly first: State = null;

  constructor(
    private readonly root: PmmlNode,
    private readonly strategy: Strategy,
    private readonly isLast: boolean,
  ) {}

  keyOf(state: State): string {
    return state ? `${state.node.id} ${state.next}` : '';
  }

  next(state: State, truthOf: AtomTruth): RuleMove<State> {
    if (!state)
      return this.judged(this.root, truthOf, () => this.nothing(this.root, 'its predicate is not true for all rows'));
    const { node, next } = state;
    if (!node.children.length) return this.scored(node);
    if (next === node.children.length)
      return this.isLast
        ? this.scored(node)
        : this.nothing(node, 'no child is true for all rows, and noTrueChildStrategy is returnNullPrediction');
    return this.judged(node.children[next], truthOf, (truth) => this.otherwise(node, next, truth));
  }

  /** True: the child is followed. */
  private judged(
    child: PmmlNode,
    truthOf: AtomTruth,
    otherwise: (truth: false | null) => RuleMove<State>,
  ): RuleMove<State> {
    const judgement = judge(child.predicate, truthOf);
    if (judgement === true) return follow(child, 0);
    if (judgement === false || judgement === null) return otherwise(judgement);
    return { kind: 'ask', atom: judgement };
  }

  private otherwise(node: PmmlNode, next: number, truth: Exclude<Truth, true>): RuleMove<State> {
    if (truth === false || this.strategy === 'none') return follow(node, next + 1);
    if (this.strategy === 'lastPrediction') return this.scored(node);
    if (this.strategy === 'nullPrediction') return this.nothing(node, 'missingValueStrategy is nullPrediction');
    if (node.defaultChild) return follow(node.defaultChild, 0);
    return this.nothing(node, 'missingValueStrategy is defaultChild, and the node has no defaultChild');
  }

  private scored(node: PmmlNode): RuleMove<State> {
    return node.value ? { kind: 'leaf', value: node.value } : this.nothing(node, 'the node has no score');
  }

  private nothing({ element }: PmmlNode, why: string): RuleMove<State> {
    return {
      kind: 'nothing',
      refusal: () =>
        element.refusal(`rows without a missing value that get no result: ${why}. Give every row a leaf with a score`),
    };
  }
}

const follow = (node: PmmlNode, next: number): RuleMove<State> => ({ kind: 'state', state: { node, next } });
