/** Text of others on a terminal: characters that would move the cursor, change colours or send keys are shown and not obeyed. */
export function printable(text: string): string {
  return text.replace(CONTROL, (character) => `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`);
}

/** Control characters but for tab and newline. */
const CONTROL = /[^\P{Cc}\t\n]/gu;
