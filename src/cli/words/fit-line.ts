/** Text on a terminal of few columns: a line that wraps cannot be erased. The last column stays free, because some terminals wrap after it. */

/** `columns`: undefined where no terminal limits the line. */
export function fitLine(text: string, columns: number | undefined): string {
  return columns && text.length >= columns ? text.slice(0, columns - 1) : text;
}

/** The first text that fits, else the beginning of the last. */
export function firstFitting(texts: readonly string[], columns: number | undefined): string {
  const fitting = texts.find((text) => !columns || text.length < columns);
  return fitting ?? fitLine(texts.at(-1)!, columns);
}
