import { createClient } from '@supabase/supabase-js';
import { env } from '$env/dynamic/public';

const { PUBLIC_SUPABASE_URL: url, PUBLIC_SUPABASE_PUBLISHABLE_KEY: key } = env;
if (!url || !key) {
  throw new Error(
    'Set PUBLIC_SUPABASE_URL and PUBLIC_SUPABASE_PUBLISHABLE_KEY. "vite dev" sets them itself.',
  );
}

export const supabase = createClient(url, key);
