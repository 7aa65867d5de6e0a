/** Previews of emails and text messages with sample values, for operators. */
import type { AuthContext } from '../context.ts';
import { parsePhone } from '../core/contact.ts';
import { templateNames } from '../core/default-mails.ts';
import { renderText, type TemplateData } from '../core/template/render.ts';
import { authError } from '../errors.ts';
import { composeMail, type TemplateName } from './mail-templates.ts';
import { sendByProvider } from './text-messages.ts';

export interface MailPreview {
  readonly subject: string;
  readonly html: string;
  readonly text: string;
  /** The project's template file. Undefined if the default was used. */
  readonly file: string | undefined;
  /** Why the project's template couldn't be used. In that case, the preview shows the default template. */
  readonly fault: string | undefined;
}

export interface MessagePreviews {
  readonly mailNames: readonly string[];
  /** Undefined if no email has that name. */
  mail(name: string): Promise<MailPreview | undefined>;
  /**
   * Sends the sign-in text message with the code 123456, which isn't valid. Throws `validation_failed`,
   * `sms_send_failed`.
   */
  text(phone: string): Promise<void>;
}

const sampleCode = '123456';

export function createMessagePreviews(ctx: AuthContext): MessagePreviews {
  return {
    mailNames: templateNames,
    async mail(name) {
      if (!isTemplateName(name)) return undefined;
      const { file, fault, ...mail } = await composeMail(ctx, name, sampleData(ctx));
      return { ...mail, file, fault: fault === undefined ? undefined : wordsOf(fault) };
    },
    async text(phone) {
      const { provider, template } = ctx.settings.phone;
      // The hook expects a user, but a preview has none.
      if (ctx.settings.hooks.send_sms.enabled)
        throw authError('sms_send_failed', 'Text messages are sent by the hook send_sms: try it there.');
      const bare = parsePhone(phone);
      const body = renderText(template, { Code: sampleCode });
      const channel = 'sms';
      try {
        if (provider === '') await ctx.mailer.captureSms({ to: bare, body, channel });
        else await sendByProvider(ctx, provider, { phone: bare, body, code: sampleCode, channel });
      } catch (cause) {
        throw authError('sms_send_failed', wordsOf(cause), { cause });
      }
    },
  };
}

const isTemplateName = (name: string): name is TemplateName =>
  (templateNames as readonly string[]).includes(name);

const wordsOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Sample values for every template variable. The link leads to the app and contains no token. */
function sampleData({ settings }: AuthContext): TemplateData {
  const email = 'ada@example.com';
  return {
    SiteURL: settings.siteUrl,
    RedirectTo: settings.siteUrl,
    ConfirmationURL: settings.siteUrl,
    Token: sampleCode,
    TokenHash: '0'.repeat(56),
    Email: email,
    NewEmail: 'ada.new@example.com',
    OldEmail: 'ada.old@example.com',
    SendingTo: email,
    Phone: '15550100',
    OldPhone: '15550199',
    Provider: 'github',
    FactorType: 'totp',
    Data: { name: 'Ada Lovelace' },
  };
}
