/** The app's end users, through auth's own admin API: its rules hold here too. */
import type { Keys } from '../../keys/types.ts';
import type { Audit } from '../audit.ts';
import { ConsoleError } from '../errors.ts';
import { type Api, type Call, parse } from './api.ts';

const perPage = 50;

export interface UsersDeps {
  readonly keys: Pick<Keys, 'serviceRoleKey'>;
  readonly internalFetch: (path: string, init?: RequestInit) => Promise<Response>;
}

export function userRoutes(api: Api, { keys, internalFetch }: UsersDeps, audit: Audit): void {
  async function admin(
    path: string,
    init: RequestInit = {},
  ): Promise<{ body: Record<string, unknown>; headers: Headers }> {
    const answer = await internalFetch(`/auth/v1/admin${path}`, {
      ...init,
      headers: { authorization: `Bearer ${keys.serviceRoleKey}`, 'content-type': 'application/json' },
    });
    const body = (await answer.json().catch(() => ({}))) as Record<string, unknown>;
    if (answer.ok) return { body, headers: answer.headers };
    if (answer.status === 404) throw new ConsoleError('not_found', { message: 'There is no such user.' });
    if (answer.status < 500)
      throw new ConsoleError('bad_request', {
        message: String(body.msg ?? body.message ?? 'Auth refused this.'),
        ...(typeof body.error_code === 'string' ? { detail: body.error_code } : {}),
      });
    throw new ConsoleError('upstream');
  }

  const idOf = ({ request }: Call): string => {
    const { id = '' } = request.params as { id?: string };
    if (!/^[0-9a-f-]{36}$/i.test(id))
      throw new ConsoleError('not_found', { message: 'There is no such user.' });
    return id;
  };

  api.route('GET', '/users', 'read', async ({ request }) => {
    const { page, search } = await parse('userPage', request.query);
    const query = new URLSearchParams({
      page: String(page),
      per_page: String(perPage),
      ...(search ? { filter: search } : {}),
    });
    const { body, headers } = await admin(`/users?${query}`);
    return { users: body.users, total: Number(headers.get('x-total-count') ?? 0), perPage };
  });
  api.route('GET', '/users/:id', 'read', async (call) => (await admin(`/users/${idOf(call)}`)).body);
  api.route('POST', '/users', 'write', async (call) => {
    const { email, password, confirmed } = await parse('newUser', call.request.body);
    const { body } = await admin('/users', {
      method: 'POST',
      body: JSON.stringify({ email, password, email_confirm: confirmed }),
    });
    await audit(call, 'user.create', email, { id: body.id });
    return body;
  });
  api.route('DELETE', '/users/:id', 'write', async (call) => {
    await admin(`/users/${idOf(call)}`, { method: 'DELETE', body: '{}' });
    await audit(call, 'user.delete', idOf(call));
    return undefined;
  });
}
