/**
 * All faults of a policy at once. Loading stops at the first fault that the schema cannot see. Here a policy is cut into parts, each with one
 * entry of the policy, and each part is prepared on its own:
 *
 *   faults(policy)  =  faults of the schema  +  the fault of each part  +  wishes wider than the policy  or, without any, the fault of the whole policy
 *
 * Values that do not fit the schema are left out of the parts.
 */
import { ElsewiseError } from '../documents/error.js';
import { documentFaults, type Fault, parseDocument } from '../documents/parse.js';
import { type OverlayDocument, type PolicyDocument, policySchema } from '../documents/policy-document.js';
import type { LoadedModel } from '../models/load.js';
import { overlayFaults } from '../policy/overlay.js';
import { loadPolicy } from '../policy/policy.js';
import { resolveTarget } from '../policy/target.js';
import { createPlan } from './plan.js';

export type PolicyFault = Pick<Fault, 'path' | 'message'>;

const ROOT = 'policy';

/** Without a model only the schema is checked. */
export function policyFaults(document: unknown, model?: LoadedModel): PolicyFault[] {
  const ofSchema = documentFaults(policySchema, document, ROOT);
  const rest = model && withoutFaults(document);
  if (!model || !rest) return ofSchema;
  const policy = parseDocument(policySchema, rest, ROOT);
  const ofOverlay = overlayFaults(policy, ROOT);
  const ofParts = distinct(partsOf(policy).flatMap((part) => faultOf(part, model)));
  const found = [...ofSchema, ...ofParts, ...ofOverlay];
  if (found.length) return found;
  return faultOf({ check: policy, rename: (path) => path }, model);
}

/** The number of rounds: leaving out one value may make another one wrong. */
const ROUNDS = 5;

/** Undefined: nothing is left. */
function withoutFaults(document: unknown): object | undefined {
  if (document === null || typeof document !== 'object' || Array.isArray(document)) return undefined;
  const rest: Record<string, unknown> = { ...structuredClone(document), schema: policySchema.shape.schema.value };
  for (let round = 0; round < ROUNDS; round++) {
    const faults = documentFaults(policySchema, rest, ROOT);
    if (!faults.length) return rest;
    for (const { steps } of faults) leaveOut(rest, steps);
  }
  return undefined;
}

/** Leaves out the value. A list goes as a whole: the places of its other elements must not change. */
function leaveOut(document: object, steps: readonly PropertyKey[]): void {
  let holder: object = document;
  for (const [i, step] of steps.entries()) {
    const child: unknown = Reflect.get(holder, step);
    if (i === steps.length - 1 || child === null || typeof child !== 'object' || Array.isArray(child)) {
      Reflect.deleteProperty(holder, step);
      return;
    }
    holder = child;
  }
}

interface Part {
  readonly check: PolicyDocument;
  /** The path in the part -> the path in the policy. */
  rename(path: string): string;
}

function partsOf(policy: PolicyDocument): Part[] {
  const empty = loadPolicy({ schema: policy.schema }).document;
  const part = (entry: Partial<PolicyDocument>): Part => ({ check: { ...empty, ...entry }, rename: (path) => path });
  /** A part for each element, alone in its list. */
  const elements = <T>(list: readonly T[], key: string, entry: (only: T[]) => Partial<PolicyDocument>): Part[] =>
    list.map((value, i) => ({ ...part(entry([value])), rename: (path) => path.replace(`${key}[0]`, `${key}[${i}]`) }));
  const { target, levers = {}, cost } = policy;
  const weights = typeof cost.weights === 'object' ? cost.weights : {};
  return [
    ...(Array.isArray(target)
      ? target.map((name) => part({ target: name }))
      : [part({ target, tolerance: policy.tolerance })]),
    ...Object.keys(weights).map((name) => part({ cost: { norm: cost.norm, weights: { [name]: weights[name] } } })),
    part({ cost: { ...cost, weights: typeof cost.weights === 'object' ? 'none' : cost.weights } }),
    ...Object.entries(policy.features).flatMap(([name, { allow = [], ...rule }]) => [
      ...Object.entries(rule).map(([key, value]) => part({ features: { [name]: { [key]: value } } })),
      ...elements(allow, 'allow', (only) => ({ features: { [name]: { allow: only } } })),
      part({ features: { [name]: rule } }),
    ]),
    ...elements(policy.constraints, 'constraints', (constraints) => ({ constraints })),
    ...Object.entries(levers).flatMap(([name, group]) =>
      elements(group, name, (only) => ({ levers: { [name]: only } })),
    ),
    part({ plausibility: policy.plausibility }),
    ...wishesOf(policy).map((overlay) => ({ ...part({ overlay }), rename: inOverlay })),
    ...elements(policy.solvers, 'solvers', (solvers) => ({ solvers })),
  ];
}

/** Wishes as overlays with one feature each. */
function wishesOf({ overlay }: PolicyDocument): OverlayDocument[] {
  const empty = { features: {}, difficulty: {} };
  const { features = {}, difficulty = {} } = overlay ?? {};
  return [
    ...Object.entries(features).map(([name, wish]) => ({ ...empty, features: { [name]: wish } })),
    ...Object.entries(difficulty).map(([name, factor]) => ({ ...empty, difficulty: { [name]: factor } })),
  ];
}

/** Wishes become entries of the policy, which errors name. */
const inOverlay = (path: string): string =>
  path.startsWith(`${ROOT}.features.`) ? path.replace(ROOT, `${ROOT}.overlay`) : path;

function faultOf({ check, rename }: Part, model: LoadedModel): PolicyFault[] {
  try {
    if (check.target !== undefined) resolveTarget(check.target, model, check.margin, check.tolerance);
    createPlan(model, { document: check, name: check.name, digest: '' });
    return [];
  } catch (error) {
    if (!(error instanceof ElsewiseError)) throw error;
    return [{ path: rename(placeOf(error)), message: error.detail }];
  }
}

/** A target is also a part of rows, and its errors do not name the policy. */
const placeOf = ({ path }: ElsewiseError): string => (path === 'target' ? `${ROOT}.target` : path || ROOT);

function distinct(faults: readonly PolicyFault[]): PolicyFault[] {
  return [...new Map(faults.map((fault) => [`${fault.path}: ${fault.message}`, fault])).values()];
}
