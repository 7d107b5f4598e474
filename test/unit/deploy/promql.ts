/** Queries of Prometheus, parsed: which metrics they name and which labels they use of them. */
import { parser } from '@prometheus-io/lezer-promql';

export interface Query {
  readonly metrics: readonly string[];
  readonly labels: readonly string[];
  /** Label, and the values or patterns that it is compared with. */
  readonly matches: readonly (readonly [label: string, text: string])[];
}

/** Variables of Grafana are none of PromQL. */
const withoutVariables = (text: string): string => text.replaceAll('$__rate_interval', '5m');

export function parseQuery(given: string): Query {
  const text = withoutVariables(given);
  const metrics: string[] = [];
  const labels: string[] = [];
  const matches: [string, string][] = [];
  parser.parse(text).iterate({
    enter({ name, type, from, to, node }) {
      if (type.isError) throw new Error(`not PromQL at ${from}: ${text}`);
      const words = text.slice(from, to);
      if (name === 'Identifier') metrics.push(words);
      if (name === 'LabelName') labels.push(words);
      if (name !== 'UnquotedLabelMatcher') return;
      const part = (kind: string) => text.slice(node.getChild(kind)!.from, node.getChild(kind)!.to);
      matches.push([part('LabelName'), part('StringLiteral').slice(1, -1)]);
    },
  });
  return { metrics, labels, matches };
}
