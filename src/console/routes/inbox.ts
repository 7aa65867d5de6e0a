/** Captured mail and text messages. They hold sign-in codes and links, so looking takes the permission for secrets. */
import type { CapturedMessage, Inbox } from '../../mail/types.ts';
import type { Audit } from '../audit.ts';
import { type MessageFacts, messageFacts } from '../core/message-facts.ts';
import { ConsoleError } from '../errors.ts';
import { type Api, type Call, parse } from './api.ts';
import { sendFramed } from './framed-mail.ts';

type Summary = Omit<CapturedMessage, 'html' | 'text'> & MessageFacts;

function summaryOf({ html, text, ...rest }: CapturedMessage): Summary {
  return { ...rest, ...messageFacts({ html, text }) };
}

export function inboxRoutes(api: Api, inbox: Inbox, audit: Audit): void {
  const idOf = ({ request }: Call): string => (request.params as { id?: string }).id ?? '';

  async function messageOf(call: Call): Promise<CapturedMessage> {
    const message = await inbox.get(idOf(call));
    if (message === undefined)
      throw new ConsoleError('not_found', { message: 'This message is not there any more.' });
    return message;
  }

  api.route('GET', '/inbox', 'secrets', async ({ request }) => {
    const { total, messages } = await inbox.list(await parse('inboxPage', request.query));
    return { total, messages: messages.map(summaryOf) };
  });
  api.route('GET', '/inbox/:id', 'secrets', async (call) => {
    const message = await messageOf(call);
    const { html, text } = message;
    return { ...summaryOf(message), text, hasHtml: html.trim() !== '' };
  });
  api.route('GET', '/inbox/:id/html', 'secrets', async (call) => {
    const { html } = await messageOf(call);
    return sendFramed(call.reply, html);
  });
  api.route('POST', '/inbox/:id/read', 'write', async (call) => inbox.markRead(idOf(call)));
  api.route('DELETE', '/inbox/:id', 'write', async (call) => {
    await inbox.remove([idOf(call)]);
    await audit(call, 'message.delete', idOf(call));
  });
  api.route('DELETE', '/inbox', 'write', async (call) => {
    await inbox.remove();
    await audit(call, 'message.delete-all', '');
  });
}
