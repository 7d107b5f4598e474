/**
 * The runtime of ONNX files: onnxruntime-node, or onnxruntime-web, which needs no native code. Neither is a dependency of this package,
 * because few models need a runtime. This file describes the used part of their common interface.
 */
import { ElsewiseError } from '../../documents/error.js';

export interface OnnxTensor {
  readonly data: ArrayLike<unknown>;
  readonly dims: readonly number[];
}

export interface OnnxValue {
  readonly name: string;
  readonly isTensor: boolean;
  /** The type of a tensor. */
  readonly type?: string;
  /** A name means any size. */
  readonly shape?: readonly (number | string)[];
}

export interface OnnxSession {
  readonly inputMetadata: readonly OnnxValue[];
  readonly outputMetadata: readonly OnnxValue[];
  run(feeds: Record<string, OnnxTensor>, fetches: readonly string[]): Promise<Record<string, OnnxTensor>>;
  release(): Promise<void>;
}

export interface OnnxRuntime {
  readonly env: { readonly wasm: { numThreads?: number } };
  readonly InferenceSession: { create(bytes: Uint8Array, options: object): Promise<OnnxSession> };
  readonly Tensor: new (type: string, data: unknown, dims: readonly number[]) => OnnxTensor;
}

/** In order of preference: native code is faster. */
export const RUNTIMES = ['onnxruntime-node', 'onnxruntime-web'];
const MISSING = `an ONNX file needs a runtime: run "npm install ${RUNTIMES.join('", or without native code "npm install ')}"`;
/** One thread per session: each of our threads works on its own chunk. */
export const SESSION_OPTIONS = { intraOpNumThreads: 1, interOpNumThreads: 1 };

let loading: Promise<OnnxRuntime> | undefined;

export function loadOnnxRuntime(names: readonly string[] = RUNTIMES): Promise<OnnxRuntime> {
  if (names !== RUNTIMES) return firstOf(names);
  loading ??= firstOf(names);
  return loading;
}

async function firstOf(names: readonly string[]): Promise<OnnxRuntime> {
  for (const name of names) {
    const runtime = await importIfThere(name);
    if (!runtime) continue;
    runtime.env.wasm.numThreads = 1;
    return runtime;
  }
  throw new ElsewiseError('scorer-refused', MISSING);
}

async function importIfThere(name: string): Promise<OnnxRuntime | undefined> {
  try {
    const module = await import(name);
    return module.InferenceSession ? module : module.default;
  } catch {
    return undefined; // not installed, or its native code does not run here: the next runtime may work
  }
}
