/**
 * The dialog before each action. The dialog names the target and the count, and asks for a reason. The server logs the reason. A caller
 * without the role admin gets no dialog and sees no buttons.
 */
import { createContext } from 'preact';
import { useContext, useEffect, useRef, useState } from 'preact/hooks';
import { Notice } from '../../parts/notice.js';
import { request } from '../../requests.js';

export interface ActionQuestion {
  /** The question, with the count: `Drop 12 dead letters?` */
  readonly question: string;
  /** The consequence, in a sentence. */
  readonly effect: string;
  /** The words on the button. */
  readonly verb: string;
  readonly isHarmful?: boolean;
  /** The request without its reason. */
  readonly body: object;
}

interface Acting {
  readonly mayAct: boolean;
  ask(asked: ActionQuestion): void;
  /** Changes after each action: data are loaded again. */
  readonly turn: number;
}

export const ActingContext = createContext<Acting>({ mayAct: false, ask: () => {}, turn: 0 });

export const useActing = (): Acting => useContext(ActingContext);

export function ActButton({ asked, children }: { asked: ActionQuestion; children: string }) {
  const { mayAct, ask } = useActing();
  if (!mayAct) return null;
  return (
    <button type="button" class={asked.isHarmful ? 'harm' : undefined} onClick={() => ask(asked)}>
      {children}
    </button>
  );
}

interface DialogProps {
  readonly asked: ActionQuestion;
  onClose(): void;
  onDone(words: string): void;
}

export function ActDialog({ asked, onClose, onDone }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [error, setError] = useState<unknown>(undefined);
  const [isBusy, setBusy] = useState(false);
  useEffect(() => dialog.current?.showModal(), []);
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    const reason = String(new FormData(event.currentTarget as HTMLFormElement).get('reason'));
    setBusy(true);
    setError(undefined);
    try {
      const { outcome, detail } = await request<{ outcome: string; detail: string }>('POST', '/v1/actions', {
        body: { ...asked.body, reason },
      });
      dialog.current?.close(); // the focus returns to the button
      onDone(`${asked.verb}: ${outcome === 'begun' ? 'has begun' : detail || 'done'}.`);
    } catch (refused) {
      setError(refused);
      setBusy(false);
    }
  };
  return (
    <dialog ref={dialog} class="card act" aria-labelledby="act-question" onClose={onClose}>
      <form onSubmit={submit}>
        <h2 id="act-question">{asked.question}</h2>
        <p>{asked.effect}</p>
        <label for="act-reason">Reason</label>
        <textarea id="act-reason" name="reason" rows={2} required maxLength={500} aria-describedby="act-hint" />
        <p class="quiet" id="act-hint">
          The log of actions keeps your name, the time and the reason.
        </p>
        {error !== undefined && <Notice error={error} />}
        <div class="buttons">
          <button type="submit" class={asked.isHarmful ? 'main harm' : 'main'} disabled={isBusy}>
            {asked.verb}
          </button>
          <button type="button" onClick={() => dialog.current?.close()}>
            Go back
          </button>
        </div>
      </form>
    </dialog>
  );
}
