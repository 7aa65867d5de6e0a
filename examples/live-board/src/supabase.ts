import { createClient } from '@supabase/supabase-js';

/** The stock client. None of this code depends on Plinth. */
export const supabase = createClient(
  import.meta.env.VITE_SUPABASE_URL ?? 'http://127.0.0.1:54321',
  import.meta.env.VITE_SUPABASE_KEY ?? 'sb_publishable_ACJWlzQHlZjBrEguHvfOxg_3BJgxAaH',
  { auth: { flowType: 'pkce' } },
);

export interface Note {
  id: number;
  author: string;
  body: string;
  photo: string | null;
  done: boolean;
  created_at: string;
}
