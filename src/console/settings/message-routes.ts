/** The routes that preview emails with sample values and send test messages. */
import { relative } from 'node:path';
import type { MailPreview, MessagePreviews } from '../../auth/index.ts';
import type { Mailer } from '../../mail/types.ts';
import type { Audit } from '../audit.ts';
import { ConsoleError } from '../errors.ts';
import type { Api } from '../routes/api.ts';
import { sendFramed } from '../routes/framed-mail.ts';

export interface MessageDeps {
  readonly projectDir: string;
  readonly mailer: Mailer;
  readonly messagePreviews: MessagePreviews;
  readonly audit: Audit;
}

export function messageRoutes(api: Api, { projectDir, mailer, messagePreviews, audit }: MessageDeps): void {
  const route = api.feature(() => import('./contract.ts'));

  async function trialOf(name: string): Promise<MailPreview> {
    const mail = await messagePreviews.mail(name);
    if (mail === undefined)
      throw new ConsoleError('not_found', { message: "This email template doesn't exist." });
    return mail;
  }

  route('GET /settings/mails', 'read', async () => ({ names: messagePreviews.mailNames }));
  route('GET /settings/mails/:name', 'read', async (call) => {
    const { subject, text, file, fault } = await trialOf(call.params.name);
    return {
      subject,
      text,
      file: file === undefined ? null : relative(projectDir, file),
      fault: fault ?? null,
    };
  });
  route('GET /settings/mails/:name/html', 'read', async (call) =>
    sendFramed(call.reply, (await trialOf(call.params.name)).html),
  );

  route('POST /settings/test-mail', 'write', async (call) => {
    const { to, template } = await call.body();
    const { subject, html, text } = await trialOf(template);
    await audit(call, 'settings.test-mail', to, { template });
    await sent('mail', () => mailer.sendMail({ to, subject, html, text }));
  });
  route('POST /settings/test-text', 'write', async (call) => {
    const { to } = await call.body();
    await audit(call, 'settings.test-text', to);
    await sent('text message', () => messagePreviews.text(to));
  });
}

/**
 * Sends a message. If this fails, the operator receives the email or SMS server's error. @throws {ConsoleError}
 * upstream
 */
async function sent(what: string, send: () => Promise<void>): Promise<void> {
  try {
    await send();
  } catch (error) {
    throw new ConsoleError('upstream', {
      message: `The ${what} was rejected: ${(error as Error).message}`,
    });
  }
}
