/** A format of output: answers as text. */
import type { ResultDocument } from '../../documents/result-document.js';

export interface LineWriter<T = ResultDocument> {
  /** The first line; empty if the format has none. */
  readonly header: string;
  /** The text for a row, with its line ends. CSV has a line per answer. */
  line(answer: T): string;
}
