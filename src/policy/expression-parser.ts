/**
 * Text -> Expression, by recursive descent: one method per rule of the grammar in expression.ts. Tokens and nesting are limited:
 * no text can exhaust the stack here or in functions that walk the tree.
 */
import { LARGEST } from '../documents/numbers.js';
import {
  type ArithmeticOperator,
  type Comparator,
  type Connective,
  type Expression,
  ExpressionError,
} from './expression.js';

const MAX_TOKENS = 2000;
const MAX_NESTING = 100;

type TokenKind = 'number' | 'name' | 'quoted' | 'text' | 'keyword' | 'symbol' | 'end';

interface Token {
  kind: TokenKind;
  /** as written */
  text: string;
  position: number;
}

const KEYWORDS: ReadonlySet<string> = new Set(['and', 'or', 'not', 'implies', 'in']);

const COMPARATORS: ReadonlyMap<string, Comparator> = new Map([
  ['<=', '<='],
  ['<', '<'],
  ['>=', '>='],
  ['>', '>'],
  ['=', '='],
  ['==', '='],
  ['!=', '!='],
]);

/** Operators of other languages -> operators of this one. */
const FOREIGN_OPERATORS: ReadonlyMap<string, string> = new Map([
  ['&&', 'and'],
  ['&', 'and'],
  ['||', 'or'],
  ['|', 'or'],
  ['!', 'not'],
  ['=>', 'implies'],
  ['->', 'implies'],
  ['<>', '!='],
  ['≠', '!='],
  ['≤', '<='],
  ['≥', '>='],
]);

const SPACE = /\s*/uy;
/** In order of matching: `=>` is a foreign operator before `=` is a symbol. */
const LEXEMES: readonly { kind: TokenKind | 'foreign'; pattern: RegExp }[] = [
  { kind: 'number', pattern: /(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?/uy },
  { kind: 'name', pattern: /[\p{L}_][\p{L}\p{M}\p{N}_]*/uy },
  { kind: 'quoted', pattern: /`(?:[^`]|``)*`/uy },
  { kind: 'text', pattern: /"(?:[^"]|"")*"|'(?:[^']|'')*'/uy },
  { kind: 'foreign', pattern: /=>|->|<>|&&?|\|\|?|!(?!=)|[≠≤≥]/uy },
  { kind: 'symbol', pattern: /<=|>=|==|!=|[-+*/()<>=,]/uy },
];

export function parseExpression(text: string): Expression {
  return new Parser(text, tokenise(text)).parse();
}

function tokenise(text: string): Token[] {
  const tokens: Token[] = [];
  let position = skipSpace(text, 0);
  while (position < text.length) {
    const token = readToken(text, position);
    tokens.push(token);
    if (tokens.length > MAX_TOKENS) {
      throw new ExpressionError(`the expression is too long (more than ${MAX_TOKENS} tokens)`, position, text);
    }
    position = skipSpace(text, position + token.text.length);
  }
  tokens.push({ kind: 'end', text: '', position });
  return tokens;
}

function skipSpace(text: string, position: number): number {
  return position + matchAt(SPACE, text, position)!.length;
}

function readToken(text: string, position: number): Token {
  for (const { kind, pattern } of LEXEMES) {
    const lexeme = matchAt(pattern, text, position);
    if (lexeme === undefined) continue;
    if (kind === 'foreign') throw foreignOperator(lexeme, position, text);
    return { kind: KEYWORDS.has(lexeme) ? 'keyword' : kind, text: lexeme, position };
  }
  throw unreadable(text, position);
}

function matchAt(pattern: RegExp, text: string, position: number): string | undefined {
  pattern.lastIndex = position;
  return pattern.exec(text)?.[0];
}

function foreignOperator(lexeme: string, position: number, text: string): ExpressionError {
  return new ExpressionError(
    `unexpected "${lexeme}", did you mean "${FOREIGN_OPERATORS.get(lexeme)}"?`,
    position,
    text,
  );
}

function unreadable(text: string, position: number): ExpressionError {
  const character = String.fromCodePoint(text.codePointAt(position)!);
  const reason = '`"\''.includes(character)
    ? `the quote ${character} is never closed`
    : `unexpected character "${character}" (a feature name that contains it goes in backticks)`;
  return new ExpressionError(reason, position, text);
}

/** The content of a quoted token: without its quotes, with doubled quotes made single. */
function unquote(lexeme: string): string {
  const quote = lexeme[0];
  return lexeme.slice(1, -1).replaceAll(quote + quote, quote);
}

class Parser {
  private next = 0;
  private nesting = 0;

  constructor(
    private readonly text: string,
    private readonly tokens: readonly Token[],
  ) {}

  parse(): Expression {
    if (this.atEnd()) this.fail('the expression is empty', 0);
    const expression = this.expression();
    if (!this.atEnd()) this.failExpecting('an operator or the end');
    return expression;
  }

  private expression(): Expression {
    const left = this.disjunction();
    const position = this.token.position;
    if (!this.accept('implies')) return left;
    const right = this.nested(() => this.expression());
    return { kind: 'connective', operator: 'implies', left, right, position };
  }

  private disjunction(): Expression {
    return this.leftToRight(['or'], () => this.conjunction(), connective);
  }

  private conjunction(): Expression {
    return this.leftToRight(['and'], () => this.negation(), connective);
  }

  private negation(): Expression {
    const position = this.token.position;
    if (!this.accept('not')) return this.relation();
    return { kind: 'not', operand: this.nested(() => this.negation()), position };
  }

  private relation(): Expression {
    const first = this.sum();
    return this.peek('not') || this.peek('in') ? this.membership(first) : this.comparisons(first);
  }

  private membership(operand: Expression): Expression {
    const position = this.token.position;
    const negated = this.accept('not');
    this.expect('in');
    this.expect('(');
    const members = [this.sum()];
    while (this.accept(',')) members.push(this.sum());
    this.expect(')');
    return { kind: 'membership', operand, members, negated, position };
  }

  private comparisons(first: Expression): Expression {
    let left = first;
    let chain: Expression | undefined;
    for (let operator = this.comparator(); operator !== undefined; operator = this.comparator()) {
      const position = this.advance().position;
      const right = this.sum();
      const link: Expression = { kind: 'comparison', operator, left, right, position };
      chain = chain === undefined ? link : { kind: 'connective', operator: 'and', left: chain, right: link, position };
      left = right;
    }
    return chain ?? first;
  }

  private sum(): Expression {
    return this.leftToRight(['+', '-'], () => this.product(), arithmetic);
  }

  private product(): Expression {
    return this.leftToRight(['*', '/'], () => this.signed(), arithmetic);
  }

  private signed(): Expression {
    const position = this.token.position;
    if (!this.accept('-')) return this.primary();
    return { kind: 'negative', operand: this.nested(() => this.signed()), position };
  }

  private primary(): Expression {
    const { kind, text, position } = this.token;
    switch (kind) {
      case 'number':
        return this.number();
      case 'name':
      case 'quoted':
        this.advance();
        return { kind: 'name', name: kind === 'name' ? text : unquote(text), quoted: kind === 'quoted', position };
      case 'text':
        this.advance();
        return { kind: 'text', value: unquote(text), position };
      default:
        return this.parenthesised();
    }
  }

  private number(): Expression {
    const { text, position } = this.advance();
    const value = Number(text);
    if (value > LARGEST) this.fail(`${text} is too large: at most ${LARGEST}`, position);
    return { kind: 'number', value, position };
  }

  private parenthesised(): Expression {
    if (!this.accept('(')) this.failExpecting('a number, a name or "("');
    const inner = this.nested(() => this.expression());
    this.expect(')');
    return inner;
  }

  /** operand { operator operand }, grouped from the left */
  private leftToRight(operators: string[], operand: () => Expression, join: Join): Expression {
    let left = operand();
    while (operators.some((operator) => this.peek(operator))) {
      const { text, position } = this.advance();
      left = join(text, left, operand(), position);
    }
    return left;
  }

  private nested(parse: () => Expression): Expression {
    if (++this.nesting > MAX_NESTING) {
      this.fail(`the expression is nested too deeply (more than ${MAX_NESTING} levels)`, this.token.position);
    }
    const expression = parse();
    this.nesting--;
    return expression;
  }

  private get token(): Token {
    return this.tokens[this.next];
  }

  private atEnd(): boolean {
    return this.token.kind === 'end';
  }

  private comparator(): Comparator | undefined {
    return this.token.kind === 'symbol' ? COMPARATORS.get(this.token.text) : undefined;
  }

  private peek(text: string): boolean {
    return (this.token.kind === 'symbol' || this.token.kind === 'keyword') && this.token.text === text;
  }

  private advance(): Token {
    return this.tokens[this.next++];
  }

  private accept(text: string): boolean {
    const found = this.peek(text);
    if (found) this.next++;
    return found;
  }

  private expect(text: string): void {
    if (!this.accept(text)) this.failExpecting(`"${text}"`);
  }

  private failExpecting(wanted: string): never {
    const { kind, text, position } = this.token;
    const found = kind === 'end' ? 'the end' : kind === 'quoted' || kind === 'text' ? text : `"${text}"`;
    const keyword = text.toLowerCase();
    const hint = kind === 'name' && KEYWORDS.has(keyword) ? `, did you mean "${keyword}"?` : '';
    this.fail(`expected ${wanted}, found ${found}${hint}`, position);
  }

  private fail(reason: string, position: number): never {
    throw new ExpressionError(reason, position, this.text);
  }
}

type Join = (operator: string, left: Expression, right: Expression, position: number) => Expression;

const connective: Join = (operator, left, right, position) => ({
  kind: 'connective',
  operator: operator as Connective,
  left,
  right,
  position,
});

const arithmetic: Join = (operator, left, right, position) => ({
  kind: 'arithmetic',
  operator: operator as ArithmeticOperator,
  left,
  right,
  position,
});
