'use client';

import type { Session, SupabaseClient } from '@supabase/supabase-js';
import { useEffect, useState } from 'react';

/** Returns the session, null without one, and undefined until the stored session has been read. */
export function useSession(supabase: SupabaseClient): Session | null | undefined {
  const [session, setSession] = useState<Session | null>();
  useEffect(() => {
    const { data } = supabase.auth.onAuthStateChange((_event, next) => setSession(next));
    return () => data.subscription.unsubscribe();
  }, [supabase]);
  return session;
}
