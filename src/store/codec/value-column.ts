/** A column of feature values: numbers as a number column, other values (categories, booleans, null) by a dictionary. */
import type { RowValue } from '../../documents/model-document.js';
import type { ByteReader, ByteWriter } from './byte-streams.js';
import { NumberColumn, NumberReader } from './number-column.js';

/** An entry in the column of kinds; k > 0 is the k-th word of the dictionary. */
const A_NUMBER = 0;

export class ValueColumn {
  readonly #numbers = new NumberColumn();
  readonly #words = new Map<RowValue, number>();
  /** Created for the first value that is no number. */
  #kinds: NumberColumn | undefined;

  push(value: RowValue): void {
    if (typeof value === 'number') {
      this.#kinds?.push(A_NUMBER);
      this.#numbers.push(value);
      return;
    }
    if (!this.#kinds) {
      this.#kinds = new NumberColumn();
      for (let i = 0; i < this.#numbers.length; i++) this.#kinds.push(A_NUMBER);
    }
    const word = this.#words.get(value) ?? this.#words.size + 1;
    this.#words.set(value, word);
    this.#kinds.push(word);
  }

  write(out: ByteWriter): void {
    out.text(JSON.stringify([...this.#words.keys()]));
    out.uint32(this.#numbers.length);
    this.#numbers.write(out);
    out.uint32(this.#kinds?.length ?? 0);
    this.#kinds?.write(out);
  }
}

export class ValueReader {
  readonly #words: readonly RowValue[];
  readonly #numbers: NumberReader;
  readonly #kinds: NumberReader | undefined;

  constructor(input: ByteReader) {
    this.#words = JSON.parse(input.text());
    this.#numbers = new NumberReader(input, input.uint32());
    const kinds = input.uint32();
    this.#kinds = kinds ? new NumberReader(input, kinds) : undefined;
  }

  next(): RowValue {
    const kind = this.#kinds?.next() ?? A_NUMBER;
    return kind === A_NUMBER ? this.#numbers.next() : this.#words[kind - 1];
  }
}
