/**
 * The routes for captured emails and text messages. Captured messages contain codes and links for signing in, so
 * reading them requires the `secrets` permission.
 */
import type { CapturedMessage, Inbox } from '../../../services/mail/types.ts';
import type { Audit } from '../audit.ts';
import { ConsoleError } from '../errors.ts';
import type { Api } from '../routes/api.ts';
import { messageFacts, sendFramed } from '../routes/framed-mail.ts';
import type { MessageSummary } from './contract.ts';

function summaryOf({ html, text, ...rest }: CapturedMessage): MessageSummary {
  return { ...rest, ...messageFacts({ html, text }) };
}

export interface InboxDeps {
  readonly inbox: Inbox;
  readonly audit: Audit;
}

export function inboxRoutes(api: Api, { inbox, audit }: InboxDeps): void {
  const route = api.feature(() => import('./contract.ts'));

  async function messageOf(id: string): Promise<CapturedMessage> {
    const message = await inbox.get(id);
    if (message === undefined)
      throw new ConsoleError('not_found', { message: "This message doesn't exist anymore." });
    return message;
  }

  route('GET /inbox', 'secrets', async ({ query }) => {
    const { total, messages } = await inbox.list(await query());
    return { total, messages: messages.map(summaryOf) };
  });
  route('GET /inbox/:id', 'secrets', async (call) => {
    const message = await messageOf(call.params.id);
    const { html, text } = message;
    return { ...summaryOf(message), text, hasHtml: html.trim() !== '' };
  });
  route('GET /inbox/:id/html', 'secrets', async (call) => {
    const { html } = await messageOf(call.params.id);
    return sendFramed(call.reply, html);
  });
  route('POST /inbox/:id/read', 'write', async (call) => inbox.markRead(call.params.id));
  route('DELETE /inbox/:id', 'write', async (call) => {
    await inbox.remove([call.params.id]);
    await audit(call, 'message.delete', call.params.id);
  });
  route('DELETE /inbox', 'write', async (call) => {
    await inbox.remove();
    await audit(call, 'message.delete-all', '');
  });
}
