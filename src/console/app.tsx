/** The frame of the console: sign-in, the list of pages, the open page. */
import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { type PageAddress, useAddress, writeAddress } from './address.js';
import { useLoaded } from './loading.js';
import type { ConsolePage, ConsoleSession, PageProps } from './page.js';
import { maySee, PAGES } from './pages/index.js';
import { Notice, Outcome } from './parts/notice.js';
import { onSignedOut, RefusedRequest, request } from './requests.js';
import { SignIn } from './sign-in.js';

/** Undefined: the server has not answered yet. Null: nobody has signed in. */
type SessionState = ConsoleSession | null | undefined;

export function App() {
  const [session, setSession] = useState<SessionState>(undefined);
  const [trouble, setTrouble] = useState<unknown>(undefined);
  useEffect(() => {
    const end = onSignedOut(() => setSession(null));
    request<ConsoleSession>('GET', '/console/session').then(setSession, (error) => {
      if (!(error instanceof RefusedRequest && error.problem.status === 401)) setTrouble(error);
    });
    return end;
  }, []);
  if (trouble) return <Notice error={trouble} />;
  if (session === undefined) return null;
  if (session === null) return <SignIn onSignedIn={setSession} />;
  return <Frame session={session} onSignOut={() => setSession(null)} />;
}

function Frame({ session, onSignOut }: { session: ConsoleSession; onSignOut: () => void }) {
  const address = useAddress();
  const pages = PAGES.filter((page) => maySee(page, session));
  const open = pages.find(({ name }) => name === address.page) ?? pages[0];
  const signOut = () => request('DELETE', '/console/session').finally(onSignOut);
  return (
    <>
      <button type="button" class="skip" onClick={focusContent}>
        Skip to the content
      </button>
      <header class="top">
        <strong class="brand">elsewise</strong>
        <nav aria-label="Pages">
          {pages.map((page) => (
            <a
              key={page.name}
              href={writeAddress({ page: page.name, values: {} })}
              aria-current={page === open ? 'page' : undefined}
            >
              {page.title}
            </a>
          ))}
        </nav>
        <span class="who">{session.name}</span>
        <button type="button" class="quiet" onClick={signOut}>
          Sign out
        </button>
      </header>
      <main id="content" tabIndex={-1}>
        {open ? (
          <OpenPage key={open.name} page={open} session={session} address={address} />
        ) : (
          <p>The roles of this token open no page.</p>
        )}
      </main>
    </>
  );
}

const focusContent = () => document.getElementById('content')?.focus();

function OpenPage({ page, session, address }: { page: ConsolePage; session: ConsoleSession; address: PageAddress }) {
  const loaded = useLoaded(page.load, [page]);
  useEffect(() => {
    document.title = `${page.title} · elsewise`;
  }, [page]);
  return (
    <Outcome of={loaded}>{(Page: ComponentType<PageProps>) => <Page session={session} address={address} />}</Outcome>
  );
}
