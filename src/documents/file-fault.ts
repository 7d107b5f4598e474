/** Faults of files in words that say what to do, in place of those of the operating system. */

const READING: Readonly<Record<string, string>> = {
  ENOENT: 'no such file',
  EISDIR: 'is a folder: name a file',
  EACCES: 'this user may not read the file',
};

const WRITING: Readonly<Record<string, string>> = {
  ENOENT: 'the folder does not exist: make the folder first',
  EISDIR: 'this is a folder: name a file in the folder',
  EACCES: 'this user may not write there',
};

const wordsFrom =
  (words: Readonly<Record<string, string>>) =>
  ({ code = '', message }: NodeJS.ErrnoException): string =>
    words[code] ?? message;

export const readingFault = wordsFrom(READING);
export const writingFault = wordsFrom(WRITING);
