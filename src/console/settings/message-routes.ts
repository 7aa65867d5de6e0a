/** Mails and text messages: how they look with sample values, and one sent to see it arrive. */
import { relative } from 'node:path';
import type { MailTrial, MessageTrials } from '../../auth/index.ts';
import type { Mailer } from '../../mail/types.ts';
import type { Audit } from '../audit.ts';
import { ConsoleError } from '../errors.ts';
import { type Api, type Call, parseAs } from '../routes/api.ts';
import { sendFramed } from '../routes/framed-mail.ts';

export interface MessageDeps {
  readonly projectDir: string;
  readonly mailer: Mailer;
  readonly messageTrials: MessageTrials;
  readonly audit: Audit;
}

export function messageRoutes(api: Api, { projectDir, mailer, messageTrials, audit }: MessageDeps): void {
  async function trialOf(name: string): Promise<MailTrial> {
    const mail = await messageTrials.mail(name);
    if (mail === undefined)
      throw new ConsoleError('not_found', { message: 'There is no mail of that name.' });
    return mail;
  }
  const nameOf = ({ request }: Call): string => (request.params as { name: string }).name;

  api.route('GET', '/settings/mails', 'read', async () => ({ names: messageTrials.mailNames }));
  api.route('GET', '/settings/mails/:name', 'read', async (call) => {
    const { subject, text, file, fault } = await trialOf(nameOf(call));
    return {
      subject,
      text,
      file: file === undefined ? null : relative(projectDir, file),
      fault: fault ?? null,
    };
  });
  api.route('GET', '/settings/mails/:name/html', 'read', async (call) =>
    sendFramed(call.reply, (await trialOf(nameOf(call))).html),
  );

  api.route('POST', '/settings/test-mail', 'write', async (call) => {
    const { to, template } = await parseAs((await import('./schemas.ts')).testMail, call.request.body);
    const { subject, html, text } = await trialOf(template);
    await audit(call, 'settings.test-mail', to, { template });
    await sent('mail', () => mailer.sendMail({ to, subject, html, text }));
  });
  api.route('POST', '/settings/test-text', 'write', async (call) => {
    const { to } = await parseAs((await import('./schemas.ts')).testText, call.request.body);
    await audit(call, 'settings.test-text', to);
    await sent('text message', () => messageTrials.text(to));
  });
}

/** The server's own words tell what to correct. @throws {ConsoleError} upstream */
async function sent(what: string, send: () => Promise<void>): Promise<void> {
  try {
    await send();
  } catch (error) {
    throw new ConsoleError('upstream', {
      message: `The ${what} was not accepted: ${(error as Error).message}`,
    });
  }
}
