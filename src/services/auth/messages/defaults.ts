/**
 * The default emails for projects without their own templates, and the default text message for codes that users
 * request on the Account pages.
 *
 * The default emails are Go templates, so the same engine renders them and a project's own templates. The emails show
 * the code in large type, for users who enter the code, and a button, for users who click the link. The emails support
 * dark mode and right-to-left languages. The name, logo, color and help link come from the project's settings
 * (`.Brand`).
 */

import { isIP } from 'node:net';
import { directionOf, languageTags } from '../../../base/shared/languages.ts';
import {
  catalogIn,
  fillWords,
  type MailLanguage,
  type MailTexts,
  type MailWords,
  mailLanguage,
  structureOf,
  type TemplateName,
  templateNames,
  upstreamSubjects,
} from './texts/mails.ts';

export type { MailLanguage, TemplateName };
export { mailLanguage, templateNames };

export interface MailBrand {
  /** The name shown in emails. */
  readonly name: string;
  /** The brand color, in the form `#rrggbb`. */
  readonly color: string;
  /**
   * The URL of a logo that email clients can display. If the URL is empty, emails show the initial of the name instead.
   */
  readonly logo: string;
  /** The help page's URL, or an empty string. */
  readonly supportUrl: string;
}

/** The default brand color, which the Account pages also use. */
export const defaultColor = '#2b42c0';

interface DefaultMail {
  readonly subject: string;
  readonly html: string;
  readonly text: string;
}

/** All languages of the default emails. */
export const mailLanguages: readonly MailLanguage[] = languageTags;

export const wordsIn = (language: MailLanguage): MailWords => catalogIn(language).words;

/** Describes a device in a language. */
export const deviceNameIn = (
  language: MailLanguage,
  { browser, system }: { readonly browser: string; readonly system: string },
): string => fillWords(wordsIn(language).deviceName, { browser, system });

/**
 * Returns the templates of an email.
 *
 * @param pageLanguage the language of the Account page that requested the email. If it is undefined, the subject is the
 * same as upstream's.
 */
export function defaultMail(
  name: TemplateName,
  { color }: Pick<MailBrand, 'color'>,
  pageLanguage?: string,
): DefaultMail {
  const language = mailLanguage(pageLanguage);
  const { mails, words } = catalogIn(language);
  const texts = mails[name];
  const upstream = pageLanguage === undefined ? upstreamSubjects[name] : undefined;
  return {
    subject: upstream ?? texts.subject,
    html: html(name, texts, words, { language, color }),
    text: text(name, texts, words),
  };
}

/** Returns black or white, whichever has the higher contrast with the color (WCAG 2.2, relative luminance). */
function textOn(color: string): '#000000' | '#ffffff' {
  const [r = 0, g = 0, b = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(color.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  const luminance = 0.2126 * r + 0.7152 * g + 0.0722 * b;
  return 1.05 / (luminance + 0.05) >= (luminance + 0.05) / 0.05 ? '#ffffff' : '#000000';
}

function text(
  name: TemplateName,
  { title, intro, button, closing, undo }: MailTexts,
  words: MailWords,
): string {
  const { showsCode, isNotice, undo: undoUrl } = structureOf(name);
  const { colon } = words;
  const parts = [title, intro];
  if (showsCode) parts.push('    {{ .Token }}');
  if (button !== undefined) parts.push(`${button}${colon}{{ .ConfirmationURL }}`);
  if (isNotice) {
    parts.push(
      `${words.when}${colon}{{ .Time }}{{ if .Device }}\n${words.device}${colon}{{ .Device }}{{ end }}{{ if .Network }}\n${words.network}${colon}{{ .Network }}{{ end }}`,
    );
  }
  const reverse =
    undoUrl === undefined ? '' : `{{ if .${undoUrl} }}\n\n${undo}${colon}{{ .${undoUrl} }}{{ end }}`;
  const help = `{{ if .Brand.supportUrl }}\n\n${words.help}${colon}{{ .Brand.supportUrl }}{{ end }}`;
  const sender = '{{ if .Brand.name }}\n\n-- \n{{ .Brand.name }}{{ end }}';
  return `${[...parts, closing].join('\n\n')}${reverse}${help}${sender}\n`;
}

const fonts = "-apple-system, 'Segoe UI', Roboto, Helvetica, Arial, sans-serif";

/** Shows the logo, or the name's initial in the brand color, followed by the name. */
const header = (color: string): string => `
          <tr><td style="font:600 17px/1.3 ${fonts}"><table role="presentation" cellpadding="0" cellspacing="0"><tr>
            <td width="36" height="36" style="width:36px;height:36px">{{ if .Brand.logo }}<img src="{{ .Brand.logo }}" width="36" height="36" alt="" style="display:block;width:36px;height:36px;object-fit:contain">{{ else }}<div style="width:36px;height:36px;border-radius:9px;background:${color};color:${textOn(color)};font:700 18px/36px ${fonts};text-align:center" aria-hidden="true">{{ .Brand.initial }}</div>{{ end }}</td>
            <td width="10"></td>
            <td class="strong" style="font:600 17px/1.3 ${fonts};color:#0f172a">{{ .Brand.name }}</td>
          </tr></table></td></tr>
          <tr><td style="height:28px"></td></tr>`;

/**
 * Keeps each address on one line if the line is long enough, because a line break after a hyphen makes an address hard
 * to read.
 */
const unbroken = (template: string): string =>
  template.replace(
    /\{\{ \.(?:Email|NewEmail|OldEmail|Inviter) \}\}/g,
    '<bdi style="display:inline-block;max-width:100%;overflow-wrap:anywhere">$&</bdi>',
  );

/**
 * Builds the HTML. The first line of the HTML is hidden and contains the preview that email clients show next to the
 * subject.
 */
function html(
  name: TemplateName,
  { title, intro, button, closing, undo }: MailTexts,
  words: MailWords,
  { language, color }: { readonly language: MailLanguage; readonly color: string },
): string {
  const { showsCode, isNotice, undo: undoUrl } = structureOf(name);
  const { colon } = words;
  const dir = directionOf(language);
  const align = dir === 'rtl' ? 'right' : 'left';
  const code = showsCode
    ? `
          <tr><td class="panel" dir="ltr" style="padding:20px 12px 20px 20px;border-radius:10px;background:#f1f5f4;text-align:center;font:700 34px/1.2 ui-monospace,Menlo,Consolas,monospace;letter-spacing:8px;color:#0f172a">{{ .Token }}</td></tr>
          <tr><td style="height:24px"></td></tr>`
    : '';
  const link =
    button === undefined
      ? ''
      : `
          <tr><td align="center"><a href="{{ .ConfirmationURL }}" style="display:inline-block;padding:13px 28px;border-radius:8px;background:${color};color:${textOn(color)};font:600 16px/1.25 ${fonts};text-decoration:none">${button}</a></td></tr>
          <tr><td style="height:24px"></td></tr>`;
  const facts = isNotice
    ? `
          <tr><td class="strong" style="font:400 15px/1.6 ${fonts};color:#0f172a;text-wrap:pretty">${words.when}${colon}<bdi>{{ .Time }}</bdi>{{ if .Device }}<br>${words.device}${colon}<bdi dir="${dir}">{{ .Device }}</bdi>{{ end }}{{ if .Network }}<br>${words.network}${colon}<bdi dir="ltr">{{ .Network }}</bdi>{{ end }}</td></tr>
          <tr><td style="height:24px"></td></tr>`
    : '';
  const reverse =
    undoUrl === undefined
      ? ''
      : `{{ if .${undoUrl} }}
          <tr><td style="height:12px"></td></tr>
          <tr><td><a class="strong" href="{{ .${undoUrl} }}" style="display:inline-block;padding:10px 20px;border:1px solid #94a3b8;border-radius:8px;font:600 15px/1.25 ${fonts};color:#0f172a;text-decoration:none">${undo}</a></td></tr>{{ end }}`;
  return `<!doctype html>
<html lang="${language}" dir="${dir}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<style>
@media (prefers-color-scheme: dark) {
  .page { background: #101413 !important }
  .card { background: #1a2120 !important }
  .panel { background: #24302e !important; color: #f1f5f9 !important }
  .strong { color: #f1f5f9 !important }
  .soft { color: #a8b3b1 !important }
}
</style>
</head>
<body class="page" style="margin:0;background:#f4f6f6${language === 'ko' ? ';word-break:keep-all' : ''}">
  <div style="display:none">${intro}</div>
  <table role="presentation" class="page" dir="${dir}" width="100%" cellpadding="0" cellspacing="0" style="background:#f4f6f6">
    <tr><td align="center" style="padding:40px 16px">
      <table role="presentation" class="card" width="100%" cellpadding="0" cellspacing="0" style="max-width:480px;background:#ffffff;border-radius:14px">
        <tr><td style="padding:36px 32px;text-align:${align}">
          <table role="presentation" width="100%" cellpadding="0" cellspacing="0">${header(color)}
          <tr><td class="strong" style="font:700 22px/1.3 ${fonts};color:#0f172a;text-wrap:balance">${title}</td></tr>
          <tr><td style="height:12px"></td></tr>
          <tr><td class="soft" style="font:400 16px/1.5 ${fonts};color:#475569;text-wrap:pretty">${unbroken(intro)}</td></tr>
          <tr><td style="height:24px"></td></tr>${code}${link}${facts}
          <tr><td class="soft" style="font:400 13px/1.5 ${fonts};color:#64748b;text-wrap:pretty">${closing}</td></tr>${reverse}
          </table>
        </td></tr>
      </table>
      <p class="soft" style="margin:20px 0 0;font:400 13px/1.5 ${fonts};color:#64748b">{{ .Brand.name }}
        {{- if .Brand.supportUrl }} &middot; <a class="soft" href="{{ .Brand.supportUrl }}" style="color:#64748b">${words.help}</a>{{ end }}</p>
    </td></tr>
  </table>
</body>
</html>
`;
}

/**
 * Returns the text of a message that names the project. The last line of the text lets browsers fill in the code on the
 * right website (https://wicg.github.io/sms-one-time-codes/).
 */
export function smsText(message: {
  readonly code: string;
  readonly name: string;
  readonly pageLanguage: string;
  /** The URL of the page on which the user enters the code. */
  readonly pageUrl: string;
}): string {
  const { code, name, pageLanguage, pageUrl } = message;
  const sentence = fillWords(wordsIn(mailLanguage(pageLanguage)).textMessage, { code, name });
  const { hostname } = new URL(pageUrl);
  // The format of the last line requires a domain name.
  const isDomain = isIP(hostname.replace(/^\[|\]$/g, '')) === 0;
  return isDomain ? `${sentence}\n\n@${hostname} #${code}` : sentence;
}
