/**
 * The shape of an expression, without the features of a model: conditions stand where conditions are needed, numbers where numbers are
 * needed, and arithmetic is linear. A name may be a number, a condition or a category. Only a model can tell.
 */
import { CONSTANTS, type Expression, ExpressionError, type ExpressionNode, textAsNumber } from './expression.js';

/** Throws ExpressionError. */
export function checkShape(text: string, expression: Expression): void {
  new Shape(text).condition(expression);
}

class Shape {
  constructor(private readonly text: string) {}

  condition(node: Expression): void {
    switch (node.kind) {
      case 'name':
        break;
      case 'not':
        this.condition(node.operand);
        break;
      case 'connective':
        this.all([node.left, node.right], (side) => this.condition(side));
        break;
      case 'comparison':
        this.all([node.left, node.right], (side) => this.value(side));
        break;
      case 'membership':
        this.all([node.operand, ...node.members], (member) => this.value(member));
        break;
      default:
        throw this.error('expected a condition, found a value: compare it with something', node);
    }
  }

  private all(nodes: readonly Expression[], check: (node: Expression) => void): void {
    for (const node of nodes) check(node);
  }

  private value(node: Expression): void {
    switch (node.kind) {
      case 'number':
      case 'name':
      case 'text':
        break;
      case 'negative':
        this.number(node.operand);
        break;
      case 'arithmetic':
        this.arithmetic(node);
        break;
      default:
        throw this.error('expected a number, found a condition', node);
    }
  }

  private number(node: Expression): void {
    if (node.kind === 'text') throw this.error(textAsNumber(node.value), node);
    this.value(node);
  }

  private arithmetic(node: ExpressionNode<'arithmetic'>): void {
    const { operator, left, right } = node;
    this.all([left, right], (side) => this.number(side));
    if (operator === '*' && hasFeature(left) && hasFeature(right))
      throw this.error('a product of two features is not linear: one side must be a number', node);
    if (operator === '/' && hasFeature(right))
      throw this.error('a division by a feature is not linear: divide by a number', node);
    if (operator === '/' && right.kind === 'number' && right.value === 0) throw this.error('division by zero', node);
  }

  private error(reason: string, { position }: Expression): ExpressionError {
    return new ExpressionError(reason, position, this.text);
  }
}

/** Whether a number surely depends on a feature. In a sum, features may cancel out. */
function hasFeature(node: Expression): boolean {
  if (node.kind === 'negative') return hasFeature(node.operand);
  return node.kind === 'name' && (node.quoted || !CONSTANTS.has(node.name));
}
