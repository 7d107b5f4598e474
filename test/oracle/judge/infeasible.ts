/**
 * No answer: is there really none; does the blocking set block by itself, and is it minimal where that is said; does the
 * relaxation help, and is it the cheapest?
 */
import type { PolicySpec } from '../question.js';
import { type Fault, fault } from './fault.js';
import type { Context } from './found.js';
import { type Knowledge, tryEverything } from './knowledge.js';
import type { Reason, Relaxation, Result } from './product.js';

/** A claim of optimality is one up to a millionth. */
const OPTIMAL = 1e-6;

type Entry = readonly [path: string, without: (policy: PolicySpec) => PolicySpec];

export async function judgeInfeasible(result: Result, context: Context): Promise<Fault[]> {
  const { knowledge } = context;
  if (knowledge.point)
    return [
      fault(
        'false-infeasible',
        `an answer costs ${knowledge.best}: ${JSON.stringify([...knowledge.point])}; attempts ${result.attempts
          .map(({ solver, outcome }) => `${solver}:${outcome}`)
          .join()}`,
      ),
    ];
  const reason = result.reason!;
  return [...(await judgeBlocking(reason, context)), ...(await judgeRelaxation(reason, context))];
}

/** Every entry of a policy that can stand in the way, by its path. */
export function entriesOf(policy: PolicySpec): Entry[] {
  const ofFeatures = Object.entries(policy.features ?? {}).flatMap(([name, rule]) =>
    Object.keys(rule).map((key): Entry => [`features.${name}.${key}`, (p) => withoutRule(p, name, key)]),
  );
  const ofConstraints = (policy.constraints ?? []).map(
    (_, i): Entry => [`constraints[${i}]`, (p) => withoutConstraint(p, i)],
  );
  const others: Entry[] = [];
  if (policy.maxChanges !== undefined) others.push(['maxChanges', ({ maxChanges: _, ...p }) => p]);
  if (policy.margin) others.push(['margin', (p) => ({ ...p, margin: 0 })]);
  if (isLimit(policy)) others.push(['plausibility', withoutLimit]);
  return [...ofFeatures, ...ofConstraints, ...others];
}

/** A term of the cost forbids nothing, and stays. */
const isLimit = ({ plausibility }: PolicySpec): boolean =>
  plausibility !== undefined && (plausibility.atLeast !== undefined || plausibility.weight === undefined);

function withoutLimit({ plausibility, ...policy }: PolicySpec): PolicySpec {
  const { method, weight } = plausibility!;
  return weight === undefined ? policy : { ...policy, plausibility: { method, weight } };
}

function withoutRule(policy: PolicySpec, name: string, key: string): PolicySpec {
  const { [key as 'min']: _, ...rest } = policy.features![name];
  return { ...policy, features: { ...policy.features, [name]: rest } };
}

/** A condition that always holds keeps the places of the others. */
const withoutConstraint = (policy: PolicySpec, i: number): PolicySpec => ({
  ...policy,
  constraints: policy.constraints!.with(i, '0 <= 1'),
});

const dropping = (policy: PolicySpec, entries: readonly Entry[]): PolicySpec =>
  entries.reduce((rest, [, without]) => without(rest), policy);

async function judgeBlocking(reason: Reason, context: Context): Promise<Fault[]> {
  const policy = context.question.settled;
  const entries = entriesOf(policy);
  const blocking = reason.blocking ?? [];
  const unknown = blocking.filter((path) => !entries.some(([other]) => other === path));
  if (unknown.length) return [fault('blocking-unknown-entry', unknown.join())];
  const under = (paths: readonly string[]) =>
    context.question.under(
      dropping(
        policy,
        entries.filter(([path]) => !paths.includes(path)),
      ),
    );
  const alone = await context.know(under(blocking));
  if (alone.point)
    return [
      fault(
        'blocking-does-not-block',
        `${blocking.join() || 'nothing'}: with these alone ${JSON.stringify([...alone.point])} costs ${alone.best}`,
      ),
    ];
  if (reason.minimal !== true) return [];
  for (const path of blocking) {
    const rest = tryEverything(under(blocking.filter((other) => other !== path)));
    if (rest && isProvedNone(rest))
      return [fault('blocking-not-minimal', `${blocking.join()}: there is no answer without ${path} either`)];
  }
  return [];
}

const isProvedNone = ({ exact, point, bestNear }: Knowledge): boolean => exact && !point && bestNear === Infinity;

async function judgeRelaxation(reason: Reason, context: Context): Promise<Fault[]> {
  const { question } = context;
  const policy = question.settled;
  const { relaxation } = reason;
  const entries = entriesOf(policy);
  if (typeof relaxation === 'string') return [];
  const said = /no single entry is to blame/.test(reason.message);
  if (!relaxation && !said) return [];
  // What costs clearly more than the relaxation's answer does not speak against it, unless the entry is its own.
  const cutoff = relaxation ? relaxation.cost * (1 + 1e-3) : Infinity;
  const known = await Promise.all(
    entries.map(async (entry) => {
      const other = question.under(dropping(policy, [entry]));
      const found = await context.know(other, cutoff);
      const none = entry[0] === relaxation?.entry && found.exact && !found.point;
      return { path: entry[0], ...(none ? await context.know(other) : found) };
    }),
  );
  if (relaxation) return judgeNamed(relaxation, known, question.cost.error);
  const helps = known.find(({ point }) => point);
  return helps
    ? [fault('relaxation-missed', `without ${helps.path} ${JSON.stringify([...helps.point!])} costs ${helps.best}`)]
    : [];
}

function judgeNamed(relaxation: Relaxation, known: ({ path: string } & Knowledge)[], error: number): Fault[] {
  const named = known.find(({ path }) => path === relaxation.entry);
  if (!named) return [fault('blocking-unknown-entry', relaxation.entry)];
  if (isProvedNone(named))
    return [fault('relaxation-does-not-help', `there is no answer without ${relaxation.entry} either`)];
  const slack = 1e-6 + error;
  if (named.exact && relaxation.cost < Math.min(named.best, named.bestNear) * (1 - slack) - 1e-300)
    return [fault('relaxation-wrong-cost', `${relaxation.entry}: ${relaxation.cost}, it is ${named.best}`)];
  const { kind, lowerBound } = relaxation.proof;
  const proved = kind === 'optimal' ? relaxation.cost * (1 - OPTIMAL) : lowerBound;
  const cheaper = known.find(({ best }) => proved !== null && best < proved * (1 - slack));
  if (cheaper)
    return [
      fault(
        'relaxation-not-cheapest',
        `${relaxation.entry} at ${relaxation.cost}, proved ${proved}, without ${cheaper.path} ${JSON.stringify([...cheaper.point!])} costs ${cheaper.best}`,
      ),
    ];
  return [];
}
