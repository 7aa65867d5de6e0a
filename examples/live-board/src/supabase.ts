import { createClient } from '@supabase/supabase-js';

const url = import.meta.env.VITE_SUPABASE_URL ?? 'http://127.0.0.1:54321';

/** This is the standard supabase-js client. None of this app's code depends on Plinth. */
export const supabase = createClient(
  url,
  import.meta.env.VITE_SUPABASE_KEY ?? 'sb_publishable_ACJWlzQHlZjBrEguHvfOxg_3BJgxAaH',
  { auth: { flowType: 'pkce' } },
);

/** Signs out of the app. The Account pages then offer to sign out of the account and of the other apps too. */
export async function signOut(): Promise<void> {
  await supabase.auth.signOut({ scope: 'local' });
  const back = encodeURIComponent(window.location.origin);
  window.location.assign(`${url}/account/signed-out?redirect_to=${back}`);
}

export interface Note {
  id: number;
  author: string;
  body: string;
  photo: string | null;
  done: boolean;
  created_at: string;
}
