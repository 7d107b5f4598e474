/** The commands in the shell blocks of a page, as words, and the code spans of its prose. */

const CONTROL = new Set([';', '&', '&&', '|', '||']);
const REDIRECTION = /^[0-9]?[<>]/;

/** Each command of each `sh` block as its words, without variables before the command, `npx`, redirections and comments. */
export function commandsIn(text: string): string[][] {
  const blocks = [...text.matchAll(/^( *)```sh\n([\s\S]*?)^\1```/gm)].map(([, , block]) => block);
  const lines = blocks.flatMap((block) => block.replaceAll(/\\\n\s*/g, ' ').split('\n'));
  return lines
    .flatMap((line) => splitAt(wordsOf(line)))
    .map(withoutPrefix)
    .filter((words) => words.length > 0);
}

/** Code spans of the prose. */
export function spansIn(text: string): string[] {
  const prose = text.replaceAll(/^( *)```[\s\S]*?^\1```/gm, '');
  return [...prose.matchAll(/(?<!`)`([^`\n]+)`(?!`)/g)].map(([, span]) => span);
}

/** Words as a shell has them: quotes group, an unquoted # begins a comment. */
export function wordsOf(line: string): string[] {
  const words: string[] = [];
  for (const [word] of line.matchAll(/(?:'[^']*'|"(?:\\.|[^"\\])*"|[^\s'";&|])+|&&|\|\||[;&|]/g)) {
    if (word.startsWith('#')) break;
    words.push(
      CONTROL.has(word)
        ? word
        : word.replaceAll(/'([^']*)'|"((?:\\.|[^"\\])*)"/g, (_, single, double) => single ?? double),
    );
  }
  return words;
}

function splitAt(words: readonly string[]): string[][] {
  const parts: string[][] = [[]];
  for (const word of words) {
    if (CONTROL.has(word)) parts.push([]);
    else parts.at(-1)!.push(word);
  }
  return parts;
}

function withoutPrefix(words: readonly string[]): string[] {
  const first = words.findIndex((word) => !/^[A-Z_]+=/.test(word) && word !== 'npx');
  const plain = first < 0 ? [] : words.slice(first);
  return plain.filter((word, i) => !REDIRECTION.test(word) && !/^[0-9]?[<>]+$/.test(plain[i - 1] ?? ''));
}
