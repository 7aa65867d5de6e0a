'use client';

import type { Session } from '@supabase/supabase-js';
import { useEffect, useState } from 'react';
import { supabase } from '../lib/supabase';
import { Notes } from './Notes';
import { SignIn } from './SignIn';

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
      <h1>Notes</h1>
      {session === null ? <SignIn /> : <Notes key={session.user.id} email={session.user.email ?? ''} />}
    </main>
  );
}
