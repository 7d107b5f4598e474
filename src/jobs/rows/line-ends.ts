/**
 * Text whose lines end with CR alone, as old spreadsheets on a Mac write it, with LF in place of CR. Records are cut at LF. In UTF-8 the byte of CR
 * belongs to no other character. A line end within a quoted field becomes LF as well.
 */
const CR = 0x0d;
const LF = 0x0a;

export async function* withLineFeeds(head: Buffer, rest: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield replaced(head);
  for (let next = await rest.next(); !next.done; next = await rest.next()) yield replaced(next.value);
}

/** A copy, because the reader of the input may use its memory again. */
function replaced(bytes: Uint8Array): Uint8Array {
  const copy = Buffer.from(bytes);
  for (let at = copy.indexOf(CR); at >= 0; at = copy.indexOf(CR, at + 1)) copy[at] = LF;
  return copy;
}
