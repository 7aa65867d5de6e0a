import { VisibleError } from './embed.ts';

/** Sends a request to the project's API with the caller's token, so row level security applies. */
export async function asCaller(request: Request, path: string, init: RequestInit = {}): Promise<Response> {
  return await fetch(`${Deno.env.get('SUPABASE_URL')}${path}`, {
    ...init,
    headers: {
      'content-type': 'application/json',
      apikey: Deno.env.get('SUPABASE_ANON_KEY') ?? '',
      authorization: request.headers.get('authorization') ?? '',
    },
  });
}

/** @throws {VisibleError} if the caller isn't signed in. A token without a user, such as the API key, isn't enough. */
export async function requireUser(request: Request): Promise<void> {
  const response = await asCaller(request, '/auth/v1/user');
  await response.body?.cancel();
  if (!response.ok) throw new VisibleError(401, 'Sign in first.');
}
