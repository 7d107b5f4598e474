/** THE TABLE of protocols of scorers behind a network. */
import { http } from './http.js';
import { mlflow } from './mlflow.js';
import { openInference } from './open-inference.js';
import type { Protocol, RemoteType } from './protocol.js';

export const protocols: { readonly [T in RemoteType]: Protocol<T> } = {
  http,
  mlflow,
  'open-inference': openInference,
};
