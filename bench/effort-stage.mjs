/** Rows that do not have the target yet, as domains that are filled: what solvers are given. */
import { readValue } from '../dist/models/features.js';
import { Scorer } from '../dist/models/load.js';
import { createDomain, fillDomain } from '../dist/policy/domain.js';

/** Rows that reach the target already are left out; where nearly all do, the stage has fewer rows. */
const MOST_DRAWS = 200;

export function drawStage(model, compiled, goals, drawRow, count) {
  const scorer = new Scorer(model);
  const domains = [];
  for (let draws = 0; domains.length < count && draws < MOST_DRAWS; draws++) {
    const raw = drawRow();
    const row = Float64Array.from(model.space.features, (feature) => readValue(feature, raw[feature.index]));
    scorer.runValues(row);
    if (goals.some((goal) => model.model.achieves(scorer.raw, goal))) continue;
    const domain = createDomain(model.space);
    fillDomain(domain, model.space, compiled.rules, row, model.preprocessing.imputed);
    domains.push(domain);
  }
  return domains;
}
