/** Sends one row and waits for its answer, as a service does that has just rejected someone. */
import { readFile } from 'node:fs/promises';
import { Producer } from 'elsewise';

const [model, policyFile, id, features] = process.argv.slice(2);
const producer = await Producer.connect(); // to REDIS_URL
try {
  const result = await producer.explain(
    { id, model, policy: JSON.parse(await readFile(policyFile, 'utf8')), features: JSON.parse(features) },
    { waitMs: 30_000 },
  );
  const [cheapest] = result?.counterfactuals ?? [];
  console.log(result?.status ?? 'no answer yet');
  for (const { feature, from, to } of cheapest?.changes ?? []) console.log(`${feature}: ${from} -> ${to}`);
} finally {
  await producer.close();
}
