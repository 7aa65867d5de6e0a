'use client';
import { useEffect, useState } from 'react';
/** Returns the session, null without one, and undefined until the stored session has been read. */
export function useSession(supabase) {
  const [session, setSession] = useState();
  useEffect(() => {
    const { data } = supabase.auth.onAuthStateChange((_event, next) => setSession(next));
    return () => data.subscription.unsubscribe();
  }, [supabase]);
  return session;
}
