/** A receipt in words, for a terminal. */
import type { ReceiptDocument } from '../../documents/receipt-document.js';

type Offer = ReceiptDocument['offers'][number];

export function describeReceipt(receipt: ReceiptDocument): string[] {
  const { iss, iat, id, model, policy, target, decision, status, offers, software } = receipt;
  const version = model.version === null ? model.name : `${model.name}@${model.version}`;
  return [
    `issued at ${new Date(iat * 1000).toISOString().replace('.000Z', 'Z')}${iss ? ` by ${iss}` : ''} with ${software}`,
    `id ${id}`,
    `model ${version} ${model.digest}`,
    `policy ${policy.name} ${policy.digest}`,
    `decision: ${decision.prediction} (score ${decision.score}); target: ${JSON.stringify(target)}; status: ${status}`,
    ...offers.map(describeOffer),
  ];
}

function describeOffer({ changes, prediction, score, cost, proof, lever }: Offer, k: number): string {
  const values = Object.entries(changes).map(([feature, to]) => `${feature} = ${to}`);
  const group = lever === undefined ? '' : ` (${lever})`;
  return `offer ${k + 1}${group}: ${values.join(', ')}: ${prediction} (score ${score}), cost ${cost}, ${proof.kind}`;
}
