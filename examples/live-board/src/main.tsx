import type { Session } from '@supabase/supabase-js';
import { StrictMode, useEffect, useState } from 'react';
import { createRoot } from 'react-dom/client';
import { Board } from './board.tsx';
import { supabase } from './supabase.ts';
import './style.css';

function App() {
  const [session, setSession] = useState<Session | null | undefined>(undefined);

  useEffect(() => {
    const { data } = supabase.auth.onAuthStateChange((_event, next) => setSession(next));
    return () => data.subscription.unsubscribe();
  }, []);

  if (session === undefined) return <main aria-busy="true" />;
  return session ? <Board user={session.user} /> : <Welcome />;
}

function Welcome() {
  const [problem, setProblem] = useState(reasonInAddress);

  // Users sign in on the backend's Account pages. The app's client then receives a separate session through PKCE.
  async function signIn() {
    const { error } = await supabase.auth.signInWithOAuth({
      provider: 'custom:account',
      options: { redirectTo: window.location.origin },
    });
    if (error) setProblem(error.message);
  }

  // Invitation links open this URL, and the app then starts a sign-in. The app first replaces the URL, so that the
  // browser's Back button doesn't start another sign-in.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the effect runs once
  useEffect(() => {
    if (window.location.pathname !== '/sign-in') return;
    window.history.replaceState(null, '', '/');
    void signIn();
  }, []);

  return (
    <main className="welcome">
      <h1>Live board</h1>
      <p>Short notes with photos. Everyone who is signed in sees new notes immediately.</p>
      <button type="button" onClick={signIn}>
        Sign in
      </button>
      {problem && <p role="alert">{problem}</p>}
    </main>
  );
}

/** Returns the error from the URL if the browser returned without a code. */
function reasonInAddress(): string | undefined {
  return new URL(window.location.href).searchParams.get('error_description') ?? undefined;
}

const root = document.getElementById('root');
if (root) {
  createRoot(root).render(
    <StrictMode>
      <App />
    </StrictMode>,
  );
}
