/** The product as a user has it: the public library, nothing else. */
import type { Case } from '../question.js';

export interface Answer {
  features: Record<string, unknown>;
  prediction: string | number;
  score: number;
  changes: { feature: string; from: unknown; to: unknown }[];
  cost: number;
  distances: { l0: number; l1: number; l2: number };
  solver: string;
  proof: { kind: 'optimal' | 'gap' | 'heuristic'; lowerBound: number | null; gap: number | null };
  region?: {
    features: Record<string, { from?: number; to?: number; in?: (string | number | boolean)[] }>;
    proof: { kind: string; maximal: boolean };
  };
}

export interface Reason {
  code: string;
  message: string;
  path?: string;
  blocking?: string[];
  minimal?: boolean | string;
  relaxation?: Relaxation | string | null;
}

/** The proof says how cheap the entry is among all that could be left out alone. */
export interface Relaxation {
  entry: string;
  cost: number;
  changes: Answer['changes'];
  proof: Answer['proof'];
}

export interface Result {
  id: string;
  status: 'found' | 'already' | 'infeasible' | 'not-found' | 'invalid';
  factual: { features: Record<string, unknown>; prediction: string | number; score: number } | null;
  counterfactuals: Answer[];
  reason?: Reason;
  attempts: { solver: string; outcome: string; ms: number }[];
  degraded: boolean;
  limitedBy?: string;
}

interface Plan {
  explain(row: { id: string; features: Record<string, unknown> }): Result;
}

export interface Library {
  loadModel(document: unknown): unknown;
  loadPolicy(document: unknown): unknown;
  prepare(model: never, policy: never, options?: { now?: () => number }): Promise<unknown>;
  resultSchema: { safeParse(value: unknown): { success: boolean; error?: { message: string } } };
}

/** Asking for the processor's time takes longer than many a step of a search. */
const READ_EVERY_MS = 2;
let readAt = -Infinity;
let processor = 0;

/** The processor's time, so that a busy machine gives a row no less of it. */
export const processorMs = (): number => {
  const wall = performance.now();
  if (wall - readAt < READ_EVERY_MS) return processor;
  const { user, system } = process.cpuUsage();
  readAt = wall;
  processor = (user + system) / 1000;
  return processor;
};

export class Product {
  constructor(private readonly library: Library) {}

  async plan({ model, policy }: Pick<Case, 'model' | 'policy'>): Promise<Plan> {
    const { library } = this;
    const loaded = [library.loadModel(model), library.loadPolicy(policy)] as [never, never];
    return (await library.prepare(...loaded, { now: processorMs })) as Plan;
  }

  async explain(asked: Case): Promise<Result> {
    return ask(await this.plan(asked), asked);
  }

  schemaFault(result: Result): string | undefined {
    const read = this.library.resultSchema.safeParse(JSON.parse(JSON.stringify(result)));
    return read.success ? undefined : read.error!.message;
  }
}

export const ask = (plan: Plan, { row }: Case): Result => plan.explain({ id: 'row', features: row });

/** What must be the same on every run. */
export function bytesOf(result: Result): string {
  const attempts = result.attempts.map(({ ms: _, ...attempt }) => attempt);
  return JSON.stringify({ ...result, attempts, elapsedMs: 0 });
}
