/** The letter about the shown answer, in a language of the person. The page of the letter prints. */
import { useState } from 'preact/hooks';
import type { OverlayInput } from '../../../documents/policy-document.js';

/** As the letters of the server: documents/labels. */
const LANGUAGES = { en: 'English', de: 'Deutsch', fr: 'Français' };

interface LetterLinkProps {
  readonly id: string;
  /** The policy and the wishes of the answer. Omitted: not known here. */
  readonly policy?: string;
  readonly overlay?: OverlayInput;
}

export function LetterLink({ id, policy = '', overlay }: LetterLinkProps) {
  const [language, setLanguage] = useState('en');
  const query = new URLSearchParams({
    language,
    ...(policy && { policy }),
    ...(overlay && { overlay: JSON.stringify(overlay) }),
  });
  return (
    <div class="actions">
      <select aria-label="Language of the letter" onChange={({ currentTarget }) => setLanguage(currentTarget.value)}>
        {Object.entries(LANGUAGES).map(([code, name]) => (
          <option key={code} value={code} lang={code}>
            {name}
          </option>
        ))}
      </select>
      <a
        class="button main"
        href={`/v1/explanations/${encodeURIComponent(id)}/letter?${query}`}
        target="_blank"
        rel="noopener"
      >
        Letter
      </a>
    </div>
  );
}
