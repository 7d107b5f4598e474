/** Messages of the parts of `up`, under the names of the parts. They are held back until `up` has said what to do next. */
export class PartMessages {
  #held: string[] | undefined = [];

  tell(name: string, line: string): void {
    const text = `${name} | ${line}\n`;
    if (this.#held) this.#held.push(text);
    else process.stderr.write(text);
  }

  /** Writes the messages so far. Later messages are written as they come. */
  release(): void {
    for (const text of this.#held ?? []) process.stderr.write(text);
    this.#held = undefined;
  }
}
