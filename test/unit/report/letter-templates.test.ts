/** Templates of the user: placeholders, what they must have, and what they cannot do. */
import { describe, expect, it } from 'vitest';
import { fillTemplate, PLACEHOLDERS, parseTemplate } from '../../../src/report/letters/letter-template.js';
import { ENGLISH } from '../../../src/report/letters/words-en.js';
import { faultOf } from '../../support/documents.js';
import { letterOf, resultOf } from '../../support/letters.js';

const WHOLE = '{{decision}}{{ explanation }}{{data}}{{review}}';
const parse = (text: string, form: 'html' | 'text' = 'html') => parseTemplate(text, form, 'own/letter.html');

describe('a template', () => {
  it('fills every placeholder, with and without spaces', async () => {
    const { letter } = letterOf(await resultOf({ policy: { count: 2 } }), {
      policy: { count: 2 },
      details: { sender: 'S', date: '2026-01-02' },
    });
    const filled = fillTemplate(
      parse(`${WHOLE}${PLACEHOLDERS.map((name) => `[${name}:{{${name}}}]`).join('')}`),
      letter,
      ENGLISH,
    );
    expect(filled).not.toMatch(/\{\{|\}\}/);
    expect(filled).toContain('[language:en]');
    expect(filled).toContain('[date:2 January 2026]');
    expect(filled).toContain('[id:a-17]');
    for (const name of ['decision', 'explanation', 'others', 'data', 'review', 'validity'])
      expect(filled).toContain(`[${name}:<section aria-labelledby="${name}">`);
  });

  it('is refused with the name of an unknown placeholder', () => {
    expect(faultOf(() => parse(`${WHOLE}{{descision}}`)).message).toBe(
      'own/letter.html: unknown placeholder {{descision}}, did you mean "decision"?',
    );
    expect(faultOf(() => parse(`${WHOLE}{{constructor}}`)).message).toContain(
      'unknown placeholder {{constructor}}; known are language, title',
    );
    expect(faultOf(() => parse(`${WHOLE}{{}}`)).message).toContain('unknown placeholder {{}}');
  });

  it('is refused with the names of parts that every letter has', () => {
    expect(faultOf(() => parse('{{decision}} {{data}}')).message).toContain('{{explanation}}, {{review}} is missing');
  });

  it('does not read placeholders of values', async () => {
    const { letter } = letterOf(await resultOf({ id: '{{decision}}' }));
    expect(fillTemplate(parse(`${WHOLE}<p>{{id}}</p>`), letter, ENGLISH)).toContain('<p>{{decision}}</p>');
    expect(fillTemplate(parse(`${WHOLE}{{id}}`, 'text'), letter, ENGLISH)).toMatch(/\{\{decision\}\}\n$/);
  });
});
