/** A result as indented JSON. Numbers and words of an object or list share lines. */
const LINE = 100;
const INDENT = '  ';

export function recordText(value: unknown, indent = ''): string {
  const flat = JSON.stringify(value);
  if (flat.length + indent.length <= LINE || typeof value !== 'object' || value === null) return flat;
  const inner = indent + INDENT;
  const isList = Array.isArray(value);
  const parts = Object.entries(value).map(
    ([key, one]) => (isList ? '' : `${JSON.stringify(key)}: `) + recordText(one, inner),
  );
  const [open, close] = isList ? '[]' : '{}';
  return `${open}\n${fill(parts, inner)}\n${indent}${close}`;
}

/** Parts of one line each share lines. */
function fill(parts: readonly string[], indent: string): string {
  const lines: string[] = [];
  for (const part of parts) {
    const last = lines.length - 1;
    const fits =
      last >= 0 && !part.includes('\n') && !lines[last].includes('\n') && lines[last].length + part.length < LINE;
    if (fits) lines[last] += `, ${part}`;
    else lines.push(indent + part);
  }
  return lines.join(',\n');
}
