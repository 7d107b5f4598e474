/** The networks of the bench, which train_networks.py trains with scikit-learn. */
import { provideTrained } from './trained-models.mjs';

/** Data set and units of the hidden layer, as the trainer names them. */
export const NETWORKS = ['iris', 'diabetes', 'wine', 'cancer'].flatMap((data) =>
  [8, 32].map((units) => `${data}-${units}`),
);

export const provideNetworks = () =>
  provideTrained({ kind: 'networks', trainer: 'train_networks.py', names: NETWORKS });
