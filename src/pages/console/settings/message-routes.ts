/**
 * The routes that render emails with sample values and send test messages, and the routes that test providers and
 * hooks.
 */
import { randomUUID } from 'node:crypto';
import { shownIn } from '../../../platform/config/index.ts';
import type { AuthChecks, MessagePreviews } from '../../../services/auth/index.ts';
import type { Mailer } from '../../../services/mail/types.ts';
import type { Audit } from '../audit.ts';
import { may } from '../core/roles.ts';
import { ConsoleError } from '../errors.ts';
import type { Api } from '../routes/api.ts';
import { sendFramed } from '../routes/framed-mail.ts';
import { isEditable } from './template-files.ts';
import { readIfFile, stampOf } from './write-files.ts';

export interface MessageDeps {
  readonly projectDir: string;
  readonly mailer: Mailer;
  readonly messagePreviews: MessagePreviews;
  readonly authChecks: AuthChecks;
  readonly audit: Audit;
}

/** The maximum number of rendered emails that are stored until the page's frame loads them. */
const maxFrames = 20;

export function messageRoutes(
  api: Api,
  { projectDir, mailer, messagePreviews, authChecks, audit }: MessageDeps,
): void {
  const route = api.feature(() => import('./contract.ts'));
  const frames = new Map<string, string>();
  const shown = shownIn(projectDir);

  function keepFrame(html: string): string {
    const id = randomUUID();
    frames.set(id, html);
    for (const oldest of frames.keys()) {
      if (frames.size <= maxFrames) break;
      frames.delete(oldest);
    }
    return id;
  }

  route('GET /settings/mails', 'read', async () => ({
    mails: messagePreviews.mailNames.map((name) => ({ name, isEditable: isEditable(name) })),
    languages: messagePreviews.languages,
    variables: messagePreviews.variables(),
  }));
  route('GET /settings/mails/:name', 'read', async (call) => {
    const { file, ...source } = known(await messagePreviews.source(call.params.name), noMail);
    const stamp = file === undefined ? '' : stampOf(readIfFile(file));
    return { ...source, stamp, file: file === undefined ? null : shown(file) };
  });
  route(
    'POST /settings/mails/:name/preview',
    'read',
    async (call) => {
      const { language, subject, html } = await call.body();
      const isDraft = subject !== null || html !== null;
      if (isDraft && !may(call.operator.role, 'write'))
        throw new ConsoleError('forbidden', { message: 'Your role can only preview saved templates.' });
      const draft = {
        language,
        ...(subject === null ? {} : { subject }),
        ...(html === null ? {} : { html }),
      };
      const mail = known(await messagePreviews.mail(call.params.name, draft), noMail);
      return {
        subject: mail.subject,
        text: mail.text,
        frame: keepFrame(mail.html),
        file: mail.file === undefined ? null : shown(mail.file),
        fault: mail.fault ?? null,
      };
    },
    { changes: 'nothing' },
  );
  route('GET /settings/frames/:id', 'read', async (call) =>
    sendFramed(call.reply, known(frames.get(call.params.id), 'This preview is no longer available.')),
  );

  route('POST /settings/test-mail', 'write', async (call) => {
    const { to, template } = await call.body();
    const { fromName, subject, html, text } = known(await messagePreviews.mail(template), noMail);
    await audit(call, 'settings.test-mail', to, { template });
    await sent('mail', () => mailer.sendMail({ to, fromName, subject, html, text }));
  });
  route('POST /settings/test-text', 'write', async (call) => {
    const { to } = await call.body();
    await audit(call, 'settings.test-text', to);
    await sent('text message', () => messagePreviews.text(to));
  });
  route('POST /settings/test-provider', 'write', async (call) => {
    const { name } = await call.body();
    const result = known(await authChecks.provider(name), "This provider doesn't exist.");
    await audit(call, 'settings.test-provider', name);
    return result;
  });
  route('POST /settings/test-hook', 'write', async (call) => {
    const { name } = await call.body();
    await audit(call, 'settings.test-hook', name);
    return known(await authChecks.hook(name), "This hook doesn't exist.");
  });
}

const noMail = "This email template doesn't exist.";

/** Returns the value. @throws {ConsoleError} not_found if the value is undefined */
function known<Value>(value: Value | undefined, message: string): Value {
  if (value === undefined) throw new ConsoleError('not_found', { message });
  return value;
}

/**
 * Sends a message. If sending fails, the operator sees the error from the email or SMS server.
 * @throws {ConsoleError} upstream
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
