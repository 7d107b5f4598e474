import { deflateSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { digestOfBytes, pack, unpack } from '../../../src/store/codec/block.js';

describe('a block', () => {
  const bytes = Buffer.from('{"name":"credit"}');

  it('comes back as it was, also when it just fits', async () => {
    const { data, digest } = await pack(bytes, 'lasting');
    expect(await unpack(data, digest, 'model credit@1', bytes.length)).toEqual(bytes);
  });

  it('is refused when it is damaged, by name', async () => {
    const { data, digest } = await pack(bytes, 'lasting');
    const other = await pack(Buffer.from('{"name":"other"}'), 'lasting');
    for (const damage of [other.data, data.subarray(0, 5), Buffer.from('no zlib'), Buffer.alloc(0)])
      await expect(unpack(damage, digest, 'model credit@1')).rejects.toThrow(/^model credit@1: .*damaged/);
  });

  it('is not decompressed beyond its limit', async () => {
    const zeros = Buffer.alloc(2 ** 26);
    const bomb = deflateSync(zeros);
    expect(bomb.length).toBeLessThan(100_000);
    const before = process.memoryUsage().arrayBuffers;
    await expect(unpack(bomb, digestOfBytes(zeros), 'model credit@1', 2 ** 20)).rejects.toThrow(
      'model credit@1: it decompresses to more than 1048576 bytes and is not read',
    );
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(2 ** 24);
  });
});
