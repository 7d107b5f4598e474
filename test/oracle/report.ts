/** What a run has to say: how many rows, what became of them, and every finding as a case that stands alone. */
import type { FaultCode } from './judge/fault.js';
import type { Judgement } from './judge/judge.js';
import type { Case } from './question.js';
import type { Finding } from './run.js';

/** Faults that are counted against a rate; every other one is wrong. */
const COUNTED: readonly FaultCode[] = ['given-up', 'refused'];

export const isWrong = ({ fault }: Finding): boolean => !COUNTED.includes(fault.code);

export class Tally {
  rows = 0;
  /** Rows for which everything was tried. */
  exact = 0;
  private readonly statuses = new Map<string, number>();
  private readonly pairs = new Map<string, number>();

  add({ model, policy }: Case, { status, proof, exact }: Judgement): void {
    this.rows++;
    if (exact) this.exact++;
    count(this.statuses, proof ? `${status} (${proof})` : status);
    count(this.pairs, `${model.family} ${policy.cost?.norm ?? 'l1'}`);
  }

  rowsOf(family: string, norm: string): number {
    return this.pairs.get(`${family} ${norm}`) ?? 0;
  }

  lines(findings: readonly Finding[]): string[] {
    const statuses = [...this.statuses].map(([name, rows]) => `${name} ${rows}`).join(', ');
    const fewest = Math.min(...this.pairs.values());
    return [
      `${this.rows} rows, ${this.exact} of them tried in full; ${statuses}`,
      `${this.pairs.size} pairs of family and norm, at least ${fewest} rows each`,
      `${findings.filter(isWrong).length} wrong, ${rowsWith(findings, 'given-up')} given up, ${rowsWith(findings, 'refused')} refused`,
      ...[...groupsOf(findings)].map(([name, list]) => `  ${list.length} x ${name}`),
    ];
  }
}

const count = (map: Map<string, number>, key: string): void => void map.set(key, (map.get(key) ?? 0) + 1);

export const rowsWith = (findings: readonly Finding[], code: FaultCode): number =>
  new Set(findings.filter(({ fault }) => fault.code === code).map(({ index }) => index)).size;

/** By what is wrong and where, the most frequent first. */
export function groupsOf(findings: readonly Finding[]): Map<string, Finding[]> {
  const groups = new Map<string, Finding[]>();
  for (const finding of findings) {
    const name = `${finding.fault.code}: ${finding.family}, ${finding.norm}`;
    groups.set(name, [...(groups.get(name) ?? []), finding]);
  }
  return new Map([...groups].sort(([, a], [, b]) => b.length - a.length));
}

/** A script that asks the product the same question; it runs from the root of the project. */
export function reproduction(asked: Case): string {
  const { model, policy, row } = asked;
  return [
    `const { loadModel, loadPolicy, prepare } = await import(\`\${process.cwd()}/dist/index.js\`);`,
    `const plan = await prepare(loadModel(${JSON.stringify(model)}), loadPolicy(${JSON.stringify(policy)}));`,
    `console.log(JSON.stringify(plan.explain({ id: 'row', features: ${JSON.stringify(row)} }), null, 2));`,
  ].join('\n');
}
