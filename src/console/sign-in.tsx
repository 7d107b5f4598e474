/** The form for a token. The token goes to the server once and is kept nowhere in the browser. */
import { useState } from 'preact/hooks';
import type { ConsoleSession } from './page.js';
import { Notice } from './parts/notice.js';
import { request } from './requests.js';

export function SignIn({ onSignedIn }: { onSignedIn: (session: ConsoleSession) => void }) {
  const [error, setError] = useState<unknown>(undefined);
  const [isBusy, setBusy] = useState(false);
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    const form = event.currentTarget as HTMLFormElement;
    const token = String(new FormData(form).get('token')).trim();
    setBusy(true);
    try {
      onSignedIn(await request<ConsoleSession>('POST', '/console/session', { body: { token } }));
    } catch (refused) {
      setError(refused);
      form.reset();
      form.querySelector('input')?.focus();
    }
    setBusy(false);
  };
  return (
    <main class="sign-in">
      <form class="card" onSubmit={submit}>
        <h1>elsewise</h1>
        <label for="token">Token</label>
        <input id="token" name="token" type="password" autoComplete="off" required aria-describedby="token-hint" />
        <p class="quiet" id="token-hint">
          The command <code>elsewise token</code> makes a token. The browser keeps a session in its place.
        </p>
        {error !== undefined && <Notice error={error} />}
        <button type="submit" class="main" disabled={isBusy}>
          Sign in
        </button>
      </form>
    </main>
  );
}
