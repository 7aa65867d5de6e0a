/** Renders emails and text messages with sample values, so that operators can preview them. */
import { readFile } from 'node:fs/promises';
import { textBody } from '../codes/phone-codes.ts';
import { parsePhone } from '../common/contact.ts';
import type { AuthContext } from '../context.ts';
import { authError } from '../errors.ts';
import { defaultMail, mailLanguages, templateNames } from './defaults.ts';
import { sendByProvider } from './send-text.ts';
import type { TemplateData } from './template/render.ts';
import { composeMail, type MailDraft, ownTemplate, type TemplateName } from './templates.ts';

export interface MailPreview {
  readonly subject: string;
  readonly html: string;
  readonly text: string;
  /** The sender's name. */
  readonly fromName: string;
  /** The project's template file. Undefined if the default template was used. */
  readonly file: string | undefined;
  /** The reason why the project's template couldn't be used. If set, the preview shows the default template. */
  readonly fault: string | undefined;
}

/** The template that an operator edits: the project's template or the default template. */
export interface MailSource {
  /** The default subject of each language. */
  readonly defaultSubjects: Readonly<Record<string, string>>;
  /**
   * The default subject of emails that an app requests. The language of these emails isn't determined by an Account
   * page.
   */
  readonly apiSubject: string;
  readonly html: string;
  readonly defaultHtml: string;
  /** The project's template file. Undefined if the default template is used. */
  readonly file: string | undefined;
}

export interface MessagePreviews {
  readonly mailNames: readonly string[];
  /** The languages of the default emails. */
  readonly languages: readonly string[];
  /** Returns the variables that templates can use, with sample values. */
  variables(): { name: string; sample: string }[];
  /** Renders a preview of an email, optionally with an edited template. Returns undefined if no email has this name. */
  mail(name: string, draft?: MailDraft & { readonly language?: string }): Promise<MailPreview | undefined>;
  /** Returns an email's template, or undefined if no email has this name. */
  source(name: string): Promise<MailSource | undefined>;
  /**
   * Sends the text message for signing in on the Account pages, with the placeholder code 123456. Throws
   * `validation_failed` or `sms_send_failed`.
   */
  text(phone: string): Promise<void>;
}

const sampleCode = '123456';

export function createMessagePreviews(ctx: AuthContext): MessagePreviews {
  return {
    mailNames: templateNames,
    languages: mailLanguages,
    variables() {
      const { Data: _data, ...data } = sampleData(ctx);
      const brand = ctx.settings.mail.brand();
      const values = {
        ...data,
        'Data.name': 'Ada Lovelace',
        Language: 'en',
        ValidFor: '1 hour',
        'Brand.name': brand.name,
      };
      return Object.entries(values).map(([name, sample]) => ({ name, sample: String(sample) }));
    },
    async mail(name, { language, ...draft } = {}) {
      if (!isTemplateName(name)) return undefined;
      const { file, fault, ...mail } = await composeMail(
        ctx,
        name,
        { data: sampleData(ctx), pageLanguage: language },
        draft,
      );
      return {
        ...mail,
        fromName: ctx.settings.mail.brand().name,
        file,
        fault: fault === undefined ? undefined : wordsOf(fault),
      };
    },
    async source(name) {
      if (!isTemplateName(name)) return undefined;
      const { contentPath: file } = ownTemplate(ctx, name);
      const brand = ctx.settings.mail.brand();
      const standard = defaultMail(name, brand);
      // If the file can't be read, emails use the default template.
      const own = file === undefined ? undefined : await readFile(file, 'utf8').catch(() => undefined);
      return {
        defaultSubjects: Object.fromEntries(
          mailLanguages.map((language) => [language, defaultMail(name, brand, language).subject]),
        ),
        apiSubject: standard.subject,
        html: own ?? standard.html,
        defaultHtml: standard.html,
        file,
      };
    },
    async text(phone) {
      const { provider, template } = ctx.settings.phone;
      // The hook can't send previews, because the hook requires a user and previews don't belong to a user.
      if (ctx.settings.hooks.send_sms.enabled)
        throw authError(
          'sms_send_failed',
          'The send_sms hook sends the text messages, so test the hook instead.',
        );
      const bare = parsePhone(phone);
      const body = textBody(ctx, { pageLanguage: 'en' }, template, sampleCode);
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

/** Returns sample values for all template variables. The sample link opens the app and contains no token. */
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
    ProviderName: 'GitHub',
    FactorType: 'totp',
    Passkey: 'iCloud Keychain',
    IsFirstPassword: false,
    IsNewDevice: false,
    CanSignUp: true,
    Network: '203.0.113.*',
    Time: 'January 1, 2026 at 12:00 UTC',
    Due: 'January 4, 2026 at 12:00 UTC',
    Device: 'Chrome on Windows',
    App: 'Photo Album',
    ApiKey: 'Backup script',
    Organization: 'Analytical Engines',
    Inviter: 'charles@example.com',
    SecureURL: settings.siteUrl,
    RevertURL: settings.siteUrl,
    UnlockURL: settings.siteUrl,
    CancelURL: settings.siteUrl,
    Data: { name: 'Ada Lovelace' },
  };
}
