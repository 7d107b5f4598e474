import fc from 'fast-check';
import { expect, it } from 'vitest';
import { LineBuffer } from '../../../src/store/codec/line-buffer.js';

it('holds short and long lines in order, as UTF-8', () => {
  const line = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.tuple(fc.nat(3000), fc.constantFrom('x', 'ä', '数', '😀')).map(([times, text]) => text.repeat(times)),
  );
  fc.assert(
    fc.property(fc.array(line, { maxLength: 80 }), fc.nat(10), (lines, expectedBytes) => {
      const buffer = new LineBuffer(expectedBytes);
      for (const one of lines) buffer.push(`${one}\n`);
      expect(Buffer.from(buffer.bytes).equals(Buffer.from(lines.map((one) => `${one}\n`).join('')))).toBe(true);
    }),
    { numRuns: 30 },
  );
});
