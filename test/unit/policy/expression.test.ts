import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Expression, ExpressionError } from '../../../src/policy/expression.js';
import { parseExpression } from '../../../src/policy/expression-parser.js';

/** The tree as fully parenthesised text: shows how operators grouped, and parses back to the same tree. */
function show(node: Expression): string {
  switch (node.kind) {
    case 'number':
      return String(node.value);
    case 'name':
      return node.quoted ? `\`${node.name.replaceAll('`', '``')}\`` : node.name;
    case 'text':
      return `"${node.value.replaceAll('"', '""')}"`;
    case 'negative':
      return `(-${show(node.operand)})`;
    case 'not':
      return `(not ${show(node.operand)})`;
    case 'membership':
      return `(${show(node.operand)} ${node.negated ? 'not in' : 'in'} (${node.members.map(show).join(', ')}))`;
    default:
      return `(${show(node.left)} ${node.operator} ${show(node.right)})`;
  }
}

function errorOf(text: string): ExpressionError {
  try {
    parseExpression(text);
  } catch (error) {
    if (error instanceof ExpressionError) return error;
    throw error;
  }
  throw new Error(`${text} was accepted`);
}

describe('grouping', () => {
  it.each([
    ['a + b * c - d / 2 <= 5', '(((a + (b * c)) - (d / 2)) <= 5)'],
    ['-a * 2 < --b', '(((-a) * 2) < (-(-b)))'],
    ['a - b - c > 0', '(((a - b) - c) > 0)'],
    ['2 * (a + b) >= c', '((2 * (a + b)) >= c)'],
    ['not a and b or c', '(((not a) and b) or c)'],
    ['not a = 1', '(not (a = 1))'],
    ['a implies b implies c', '(a implies (b implies c))'],
    ['a or b implies c and d', '((a or b) implies (c and d))'],
    ['(a implies b) implies c', '((a implies b) implies c)'],
    ['(a <= b) or (a + b) <= c', '((a <= b) or ((a + b) <= c))'],
    ['0 <= x <= 5', '((0 <= x) and (x <= 5))'],
    ['0 <= x < y = 5', '(((0 <= x) and (x < y)) and (y = 5))'],
    ['x == 5', '(x = 5)'],
    ['housing in (own, "rent")', '(housing in (own, "rent"))'],
    ['housing not in (own) and b', '((housing not in (own)) and b)'],
  ])('%s', (text, grouped) => {
    expect(show(parseExpression(text))).toBe(grouped);
  });
});

describe('tokens', () => {
  it.each([
    ['1', 1],
    ['1.5', 1.5],
    ['1.', 1],
    ['.5', 0.5],
    ['1e3', 1000],
    ['2.5E-1', 0.25],
    ['1e+2', 100],
  ])('reads the number %s', (text, value) => {
    expect(parseExpression(text)).toEqual({ kind: 'number', value, position: 0 });
  });

  it('reads names: identifiers of any script, and anything in backticks', () => {
    for (const name of ['x1', '_x', 'größe', '収入', 'inner', 'android', 'nota']) {
      expect(parseExpression(name)).toEqual({ kind: 'name', name, quoted: false, position: 0 });
    }
    for (const name of ['debt ratio', 'and', 'a`b', '3', '']) {
      const text = `\`${name.replaceAll('`', '``')}\``;
      expect(parseExpression(text)).toEqual({ kind: 'name', name, quoted: true, position: 0 });
    }
  });

  it('reads text in either quote, a doubled quote standing for itself', () => {
    expect(parseExpression('"18-25"')).toEqual({ kind: 'text', value: '18-25', position: 0 });
    expect(parseExpression("'it''s'")).toEqual({ kind: 'text', value: "it's", position: 0 });
    expect(parseExpression('"say ""hi"""')).toEqual({ kind: 'text', value: 'say "hi"', position: 0 });
  });

  it('needs no spaces and takes any', () => {
    expect(show(parseExpression('a<-1'))).toBe('(a < (-1))');
    expect(show(parseExpression('\n\ta\u00a0<=\r\n b '))).toBe('(a <= b)');
  });

  it('points at the operator of a compound node', () => {
    expect(parseExpression('x  <= 5').position).toBe(3);
    expect(parseExpression('a  implies b').position).toBe(3);
    expect(parseExpression('a not in (b)').position).toBe(2);
  });
});

describe('errors', () => {
  it.each([
    ['', 0, 'the expression is empty'],
    ['  \n', 0, 'the expression is empty'],
    ['x <= 5 y', 7, 'expected an operator or the end, found "y"'],
    ['x <= 5)', 6, 'expected an operator or the end, found ")"'],
    ['x <= 5 "own"', 7, 'expected an operator or the end, found "own"'],
    ['x > 5 AND y > 3', 6, 'expected an operator or the end, found "AND", did you mean "and"?'],
    ['x <=', 4, 'expected a number, a name or "(", found the end'],
    ['x <= <= 5', 5, 'expected a number, a name or "(", found "<="'],
    ['and x', 0, 'expected a number, a name or "(", found "and"'],
    ['(x <= 5', 7, 'expected ")", found the end'],
    ['x in own', 5, 'expected "(", found "own"'],
    ['x in ()', 6, 'expected a number, a name or "(", found ")"'],
    ['a not b', 6, 'expected "in", found "b"'],
    ['a && b', 2, 'unexpected "&&", did you mean "and"?'],
    ['a => b', 2, 'unexpected "=>", did you mean "implies"?'],
    ['!a', 0, 'unexpected "!", did you mean "not"?'],
    ['a ≤ b', 2, 'unexpected "≤", did you mean "<="?'],
    ['petal.width > 1', 5, 'unexpected character "." (a feature name that contains it goes in backticks)'],
    ['x = 😀', 4, 'unexpected character "😀" (a feature name that contains it goes in backticks)'],
    ['housing = "own', 10, 'the quote " is never closed'],
    ['`debt ratio <= 1', 0, 'the quote ` is never closed'],
    ['x <= 1e999', 5, '1e999 is too large: at most 1e+100'],
  ])('%j', (text, position, reason) => {
    expect(errorOf(text)).toMatchObject({ name: 'ExpressionError', reason, position, text });
  });

  it('puts a caret under the place, on its own line of the text', () => {
    expect(errorOf('x <= 5 y').message).toBe('expected an operator or the end, found "y"\n  x <= 5 y\n         ^');
    expect(errorOf('a and\n\tx <= 5 y\nor b').message).toBe(
      'expected an operator or the end, found "y"\n  \tx <= 5 y\n  \t       ^',
    );
  });

  it('refuses what would exhaust the stack', () => {
    const nested = 'the expression is nested too deeply (more than 100 levels)';
    for (const prefix of ['(', '-', 'not ', 'a implies ']) {
      expect(errorOf(`${prefix.repeat(900)}a`).reason).toBe(nested);
    }
    expect(errorOf(`${'a + '.repeat(50_000)}a`).reason).toBe('the expression is too long (more than 2000 tokens)');
    expect(show(parseExpression(`${'('.repeat(100)}a${')'.repeat(100)}`))).toBe('a');
  });

  it('throws nothing but ExpressionError, whatever the text', () => {
    const word = fc.constantFrom(
      ...'and or not implies in ( ) , + - * / < <= = == != a b "t" `q` 1 2.5 ! ` " # .'.split(' '),
    );
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.array(word, { maxLength: 12 }).map((words) => words.join(' ')),
    );
    fc.assert(
      fc.property(text, (text) => {
        try {
          const tree = parseExpression(text);
          expect(show(parseExpression(show(tree)))).toBe(show(tree));
        } catch (error) {
          if (!(error instanceof ExpressionError)) throw error;
          expect(error.position).toBeGreaterThanOrEqual(0);
          expect(error.position).toBeLessThanOrEqual(text.length);
        }
      }),
      { numRuns: 500 },
    );
  });
});
