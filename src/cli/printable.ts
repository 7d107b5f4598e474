/** Untrusted text on a terminal: characters that would move the cursor, change colours or send keys are shown as escapes. */
export function printable(text: string): string {
  return text.replace(CONTROL, (character) => `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`);
}

/** Control characters except tab and newline. */
const CONTROL = /[^\P{Cc}\t\n]/gu;
