/** Writes the made-up loans of the tutorial: past.csv with decisions, and new.csv without. `node generate.mjs [folder]` */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { generatorOf, within } from '../sample-rows.mjs';

const { random, normal } = generatorOf(41);
const tens = (value, low, high) => within(value / 10, low / 10, high / 10) * 10;

function applicant() {
  const wealth = normal();
  const age = within(40 + 12 * normal(), 18, 75);
  return {
    age,
    income: tens(2300 + 650 * wealth + 250 * normal(), 800, 6500),
    monthlyDebt: tens(380 - 90 * wealth + 170 * normal(), 0, 1500),
    openLoans: within(1.6 + 1.2 * normal(), 0, 6),
    monthsAtJob: within(Math.min(40 + 35 * normal(), 12 * (age - 17)), 0, 480),
    housing: ['own', 'rent', 'family'][Math.floor(random() * 3)],
    hasGuarantor: random() < 0.25,
  };
}

/** The bank's habit: what is left of the income counts, and other things count a little. */
function isApproved({ income, monthlyDebt, openLoans, monthsAtJob, housing, hasGuarantor }) {
  const credit = (income - 1.6 * monthlyDebt - 1500) / 500 - 0.35 * openLoans + Math.min(monthsAtJob, 60) / 60;
  return credit + (housing === 'own' ? 0.3 : 0) + (hasGuarantor ? 0.7 : 0) + 0.3 * normal() > 0.4;
}

const past = Array.from({ length: 800 }, applicant).map((person) => ({
  ...person,
  decision: isApproved(person) ? 'approved' : 'rejected',
}));
const fresh = Array.from({ length: 60 }, (_, i) => ({ id: `L-${String(i + 1).padStart(3, '0')}`, ...applicant() }));

const folder = process.argv[2] ?? fileURLToPath(new URL('.', import.meta.url));
for (const [name, rows] of Object.entries({ 'past.csv': past, 'new.csv': fresh })) {
  const lines = [Object.keys(rows[0]), ...rows.map((row) => Object.values(row))].map((cells) => cells.join(','));
  writeFileSync(join(folder, name), `${lines.join('\n')}\n`);
}
