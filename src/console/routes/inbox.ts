/** Captured mail and text messages. */
import type { Inbox } from '../../mail/types.ts';
import { ConsoleError } from '../errors.ts';
import { type Api, parse } from './api.ts';
import * as schemas from './schemas.ts';

export function inboxRoutes(api: Api, inbox: Inbox): void {
  const idOf = (params: unknown): string => (params as { id?: string }).id ?? '';

  api.route('GET', '/inbox', 'read', async ({ request }) =>
    inbox.list(parse(schemas.inboxPage, request.query)),
  );
  api.route('GET', '/inbox/:id', 'read', async ({ request }) => {
    const message = await inbox.get(idOf(request.params));
    if (message === undefined)
      throw new ConsoleError('not_found', { message: 'This message is not there any more.' });
    return message;
  });
  api.route('POST', '/inbox/:id/read', 'read', async ({ request }) => inbox.markRead(idOf(request.params)));
  api.route('DELETE', '/inbox/:id', 'write', async ({ request }) => inbox.remove([idOf(request.params)]));
  api.route('DELETE', '/inbox', 'write', async () => inbox.remove());
}
