import type { Session } from '@supabase/supabase-js';
import { useEffect, useState } from 'react';
import { Documents } from './Documents.tsx';
import { SignIn } from './SignIn.tsx';
import { supabase } from './supabase.ts';

export function App() {
  /** Undefined until the stored session has been read. */
  const [session, setSession] = useState<Session | null>();
  useEffect(() => {
    const { data } = supabase.auth.onAuthStateChange((_event, next) => setSession(next));
    return () => data.subscription.unsubscribe();
  }, []);
  if (session === undefined) return null;
  return (
    <main>
      <h1>Ask your documents</h1>
      {session === null ? <SignIn /> : <Documents key={session.user.id} email={session.user.email ?? ''} />}
    </main>
  );
}
