import { defineEnvVars } from '@sveltejs/kit/env';

/**
 * The plugin in vite.config.ts sets both variables during development. On a production server, you must set the
 * variables yourself.
 */
export const variables = defineEnvVars({
  PUBLIC_SUPABASE_URL: { public: true, description: 'The URL of the API.' },
  PUBLIC_SUPABASE_PUBLISHABLE_KEY: { public: true, description: 'The key that browsers may use.' },
});
