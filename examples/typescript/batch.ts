/** Queues a file of rows and writes the results, in the order of the rows, while they arrive. */
import { createReadStream } from 'node:fs';
import { open, readFile } from 'node:fs/promises';
import { Producer } from 'elsewise';

const [model, policyFile, input, output] = process.argv.slice(2);
const producer = await Producer.connect(); // to REDIS_URL
try {
  const batch = await producer.enqueueBatch({
    source: createReadStream(input),
    name: input,
    model,
    policy: JSON.parse(await readFile(policyFile, 'utf8')),
  });
  console.log(`${batch.rows} rows in batch ${batch.id}`);
  const file = await open(output, 'w');
  for await (const { bytes } of producer.results(batch.id)) await file.writeFile(bytes);
  await file.close();
} finally {
  await producer.close();
}
