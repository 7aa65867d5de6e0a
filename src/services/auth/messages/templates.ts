/** Renders emails from the project's templates, and uses the default template for each email without one. */
import { readFile } from 'node:fs/promises';
import type { AuthContext } from '../context.ts';
import { authError } from '../errors.ts';
import { defaultMail, type MailLanguage, mailLanguage, type TemplateName } from './defaults.ts';
import { htmlToText } from './html-to-text.ts';
import { canReceiveMail } from './mail-addresses.ts';
import { renderHtml, renderText, type TemplateData } from './template/render.ts';

export type { TemplateName };

export interface MailValues {
  readonly data: TemplateData;
  /** The language of the Account page that requested the email. Undefined for emails that an app requests. */
  readonly pageLanguage: string | undefined;
}

/**
 * Sends an email. Reads the template file for every email so that changes apply immediately. If the project's template
 * is missing or invalid, logs an error and uses the default template, because users need the codes in the emails.
 * Throws `email_address_invalid`.
 */
export async function deliver(
  ctx: AuthContext,
  name: TemplateName,
  { to, ...values }: MailValues & { readonly to: string },
): Promise<void> {
  if (ctx.settings.mail.checksDomains) await requireReceiver(to);
  const { file, fault, ...mail } = await composeMail(ctx, name, values);
  if (fault !== undefined)
    ctx.log.error(
      { template: name, file, error: fault },
      `The email template ${name} is invalid, so the default template is used`,
    );
  await ctx.mailer.sendMail({ to, fromName: ctx.settings.mail.brand().name, ...mail });
}

export interface ComposedMail {
  readonly subject: string;
  readonly html: string;
  readonly text: string;
  /** The project's template file. Undefined if the default template was used. */
  readonly file?: string;
  /** The error that prevented the project's template from being used. */
  readonly fault?: unknown;
}

/** An edited template that hasn't been saved. Parts that are undefined are taken from the saved template. */
export interface MailDraft {
  readonly subject?: string;
  readonly html?: string;
}

/** Renders the email without sending it. */
export async function composeMail(
  ctx: AuthContext,
  name: TemplateName,
  { data, pageLanguage }: MailValues,
  draft: MailDraft = {},
): Promise<ComposedMail> {
  const brand = ctx.settings.mail.brand();
  const fallback = defaultMail(name, brand, pageLanguage);
  // A template provided by the project applies to all languages. Such a template can choose its text based on
  // `.Language`.
  const branded = {
    ...data,
    Brand: { ...brand, initial: initialOf(brand.name) },
    Language: mailLanguage(pageLanguage),
    ValidFor: durationInWords(
      name === 'invite' ? ctx.settings.mail.invitationExpiryMs : ctx.settings.email.otpExpiryMs,
      mailLanguage(pageLanguage),
    ),
  };
  const { contentPath: file, subject: savedSubject } = ownTemplate(ctx, name);
  const ownSubject = draft.subject === undefined ? savedSubject : draft.subject || undefined;
  let html = renderHtml(fallback.html, branded);
  let text = renderText(fallback.text, branded);
  let subject = renderText(fallback.subject, branded);
  let fault: unknown;
  try {
    if (draft.html !== undefined || file !== undefined) {
      html = renderHtml(draft.html ?? (await readFile(file ?? '', 'utf8')), branded);
      text = htmlToText(html);
    }
    if (ownSubject !== undefined) subject = renderText(ownSubject, branded);
  } catch (error) {
    fault = error;
  }
  return {
    subject: oneLine(subject),
    html,
    text,
    ...(file === undefined ? {} : { file }),
    ...(fault === undefined ? {} : { fault }),
  };
}

/** Formats a duration in the largest unit that makes it a whole number. */
function durationInWords(ms: number, language: MailLanguage): string {
  const units = [
    ['day', 86_400_000],
    ['hour', 3_600_000],
    ['minute', 60_000],
  ] as const;
  const [unit, unitMs] = units.find(([, each]) => ms % each === 0) ?? ['second', 1000];
  const format = new Intl.NumberFormat(`${language}-u-nu-latn`, { style: 'unit', unit, unitDisplay: 'long' });
  return format.format(ms / unitMs);
}

const lookupTimeoutMs = 3000;

/** Throws `email_address_invalid` if the address can't receive email. */
async function requireReceiver(email: string): Promise<void> {
  const { Resolver } = await import('node:dns/promises');
  const dns = new Resolver({ timeout: lookupTimeoutMs, tries: 1 });
  if (await canReceiveMail(email, dns)) return;
  throw authError('email_address_invalid', `Email address ${JSON.stringify(email)} is invalid`);
}

interface OwnTemplate {
  readonly content_path?: string | undefined;
  readonly subject?: string | undefined;
}

export function ownTemplate(
  ctx: AuthContext,
  name: TemplateName,
): { contentPath?: string; subject?: string } {
  if (name === 'organization_invitation') return ownParts(ctx.settings.organizations.invitation);
  const { template, notification } = ctx.settings.config.email;
  const notice = name.replace(/_notification$/, '');
  const templates: Readonly<Record<string, OwnTemplate | undefined>> =
    name === notice ? template : notification;
  // In config.toml, only emails that upstream also has can be configured. As in upstream, the emails to the old and the
  // new address use the same template.
  return ownParts(templates[notice === 'email_change_current' ? 'email_change' : notice]);
}

function ownParts(own: OwnTemplate | undefined): { contentPath?: string; subject?: string } {
  return {
    ...(own?.content_path === undefined ? {} : { contentPath: own.content_path }),
    ...(own?.subject === undefined || own.subject === '' ? {} : { subject: own.subject }),
  };
}

/** Returns a name's first character in uppercase. */
const initialOf = (name: string): string => [...name.trim()][0]?.toUpperCase() ?? '';

/** Removes line breaks from the text, so that user metadata in a subject can't add email headers. */
function oneLine(text: string): string {
  return text.replace(/[\r\n]+/g, ' ').trim();
}
