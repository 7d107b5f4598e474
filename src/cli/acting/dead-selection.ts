/** The dead letters that a command selects: the letter of an id, or all. */
import { ElsewiseError } from '../../documents/error.js';
import type { DeadStore, LetterEntry } from '../../store/events/dead-store.js';

export async function selectLetters(dead: DeadStore, id: string | undefined, all: boolean): Promise<LetterEntry[]> {
  if ((id === undefined) !== all) throw new ElsewiseError('usage', 'name one dead letter by its ID, or all by --all');
  if (id !== undefined) return [await dead.read(id)];
  const letters: LetterEntry[] = [];
  for await (const letter of dead.list()) letters.push(letter);
  return letters;
}
