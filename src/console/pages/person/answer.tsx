/** An answer: the decision, the plans or the reason why there is none, the letter and the receipt. */
import { useEffect, useState } from 'preact/hooks';
import type { OverlayInput, PolicyInput } from '../../../documents/policy-document.js';
import type { ResultDocument } from '../../../documents/result-document.js';
import type { LetterContext } from '../../../report/letters/letter-context.js';
import { goalInWords, lacksMargin, partAbout } from '../../../report/letters/letter-goal.js';
import { letterFacts } from './letter-facts.js';
import { LetterLink } from './letter-link.js';
import { Plans } from './plans.js';
import { classLabel, type Population, type RowOfFeatures } from './population.js';
import { ReceiptLink } from './receipt-link.js';
import { OtherTargets, WhyNot } from './why-not.js';

/** A result, the wishes that this page asked with, and whether the chosen model and policy are those of the result. */
export interface ShownAnswer {
  readonly result: ResultDocument;
  readonly isItsModel: boolean;
  readonly isItsPolicy: boolean;
  readonly overlay?: OverlayInput;
}

interface AnswerProps extends ShownAnswer {
  readonly population: Population;
  /** The chosen policy. */
  readonly policyName: string;
  readonly policy: PolicyInput | undefined;
  readonly row: RowOfFeatures;
}

/** An answer that was asked for without a policy. */
const NO_RULES: PolicyInput = { schema: 'elsewise.policy/v1' };

export function Answer({
  result,
  overlay,
  isItsModel,
  isItsPolicy,
  population,
  policyName,
  row,
  ...given
}: AnswerProps) {
  const [open, setOpen] = useState(0);
  useEffect(() => setOpen(0), [result]);
  const { id, counterfactuals: plans, factual } = result;
  const policy = isItsPolicy ? (given.policy ?? NO_RULES) : undefined;
  const facts = letterFacts({ population, isItsModel, policy, overlay });
  return (
    <>
      <div class="answer-head">
        <div>
          <Reference result={result} />
          <Verdict result={result} population={population} facts={facts} />
          {factual && <ReceiptLink id={id} />}
        </div>
        {factual && <LetterLink id={id} {...(overlay && { policy: policyName, overlay })} />}
      </div>
      {plans.length > 0 ? (
        <>
          <Plans
            {...{ result, population, policy, facts, open: Math.min(open, plans.length - 1), own: row }}
            onOpen={setOpen}
          />
          <OtherTargets {...{ result, facts }} />
        </>
      ) : (
        <WhyNot {...{ result, facts, isItsModel }} />
      )}
    </>
  );
}

const Reference = ({ result: { id, model } }: { result: ResultDocument }) => (
  <p class="quiet reference">
    Answer {id} · {model.name}
    {model.version === null ? '' : `, version ${model.version}`}
  </p>
);

interface VerdictProps {
  readonly result: ResultDocument;
  readonly population: Population;
  readonly facts: LetterContext;
}

/** The prediction, the band, and the number of ways to each target. */
function Verdict({ result, population, facts }: VerdictProps) {
  const { factual, status, decision } = result;
  const reached = result.targets?.filter((rung) => rung.status === 'found');
  const parts = reached?.map((rung) => partAbout(result, rung)) ?? [result];
  const isReached = status === 'already' || lacksMargin(result, facts);
  return (
    <p>
      <span class={`badge ${isReached ? 'yes-badge' : 'no-badge'}`}>{classLabel(population, factual?.prediction)}</span>{' '}
      {[...bandInWords(decision?.band, facts), ...parts.flatMap((part) => waysInWords(part, facts))].join(' ')}
    </p>
  );
}

function bandInWords(band: string | null | undefined, { words }: LetterContext): string[] {
  if (band === undefined) return [];
  return [band === null ? words.decision.noBand : words.decision.band(band)];
}

const COUNTS = ['', 'This way', 'Two ways', 'Three ways'];

/** `Two ways would have led to the result “approved”.` A decision that only lacks the margin is no rejection. */
function waysInWords(part: ResultDocument, facts: LetterContext): string[] {
  const count = part.counterfactuals.length;
  const { goal, decision } = facts.words;
  const lacks = lacksMargin(part, facts);
  const bare = part.target === null ? '' : goalInWords(part.target, facts);
  const ways = `${COUNTS[count] ?? `${count} ways`} would have led ${lacks ? goal.withMargin(bare) : bare}.`;
  return [...(lacks ? [decision.withoutMargin] : []), ...(count ? [ways] : [])];
}
