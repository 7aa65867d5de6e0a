import { VisibleError } from './embed.ts';

const cors = {
  'access-control-allow-origin': '*',
  'access-control-allow-headers': 'authorization, apikey, content-type, x-client-info',
};

/** Serves a function that receives and returns JSON. Other errors than {@link VisibleError} aren't shown to the caller. */
export function serve(run: (body: Record<string, unknown>, request: Request) => Promise<object>): void {
  Deno.serve(async (request) => {
    if (request.method === 'OPTIONS') return new Response('ok', { headers: cors });
    try {
      const body: unknown = await request.json().catch(() => undefined);
      if (typeof body !== 'object' || body === null)
        throw new VisibleError(400, 'The body must be a JSON object.');
      return Response.json(await run(body as Record<string, unknown>, request), { headers: cors });
    } catch (error) {
      if (!(error instanceof VisibleError)) console.error(error);
      const { status, message } =
        error instanceof VisibleError
          ? error
          : new VisibleError(500, 'The function failed. Its log contains the reason.');
      return Response.json({ message }, { status, headers: cors });
    }
  });
}
