/**
 * The default emails, for projects without templates. They are Go templates like the project's own, so the same engine
 * renders both. The emails show the code in large type for users who type it, and a button for users who click. They
 * use no images or external style sheets, and they support dark mode. The name, the color and the help link come from
 * the project (`.Brand`).
 */
export interface MailBrand {
  /** The name that emails show. If it is empty, no name is shown. */
  readonly name: string;
  /** The brand color, in the form `#rrggbb`. */
  readonly color: string;
  /** The address of the help page, or empty. */
  readonly supportUrl: string;
}

/** The default brand color, which the Account pages also use. */
export const defaultColor = '#3148bd';

export interface DefaultMail {
  readonly subject: string;
  readonly html: string;
  readonly text: string;
}

interface Content {
  readonly subject: string;
  readonly title: string;
  readonly intro: string;
  /** The label of the button that leads to .ConfirmationURL. */
  readonly button?: string;
  readonly showsCode?: boolean;
  readonly closing: string;
}

const ignore = 'If you did not ask for this, you can ignore this email.';
const alarm = 'If this was not you, reset your password and contact support right away.';

const factor =
  '{{ if eq .FactorType "totp" }}An authenticator app{{ else if eq .FactorType "phone" }}A phone number' +
  '{{ else if eq .FactorType "webauthn" }}A security key{{ else }}{{ .FactorType }}{{ end }}';

const contents = {
  confirmation: {
    subject: 'Confirm your email address',
    title: 'Confirm your email address',
    intro: 'Enter this code, or use the button, to confirm {{ .Email }} and finish signing up.',
    button: 'Confirm email address',
    showsCode: true,
    closing: ignore,
  },
  invite: {
    subject: "You've been invited",
    title: 'You have been invited',
    intro: 'You have been invited to create an account for {{ .Email }}. Use the button to accept.',
    button: 'Accept invitation',
    showsCode: true,
    closing: 'If you did not expect this invitation, you can ignore this email.',
  },
  recovery: {
    subject: 'Reset your password',
    title: 'Reset your password',
    intro: 'Enter this code, or use the button, to choose a new password for {{ .Email }}.',
    button: 'Reset password',
    showsCode: true,
    closing: ignore,
  },
  magic_link: {
    subject: 'Your sign-in link',
    title: 'Sign in',
    intro:
      'Enter this code or use the button to sign in as {{ .Email }}. Both expire soon and can be used only once.',
    button: 'Sign in',
    showsCode: true,
    closing: ignore,
  },
  email_change: {
    subject: 'Confirm your new email address',
    title: 'Confirm your new email address',
    intro:
      'Enter this code, or use the button, to change your address{{ if .Email }} from {{ .Email }}{{ end }} to {{ .NewEmail }}.',
    button: 'Confirm the change',
    showsCode: true,
    closing: ignore,
  },
  reauthentication: {
    subject: '{{ .Token }} is your verification code',
    title: 'Confirm that it is you',
    intro: 'Enter this code to continue.',
    showsCode: true,
    closing: 'Never share this code. If you did not ask for it, change your password.',
  },
  password_changed_notification: {
    subject: 'Your password was changed',
    title: 'Your password was changed',
    intro: 'The password for your account {{ .Email }} was changed.',
    closing: alarm,
  },
  email_changed_notification: {
    subject: 'Your email address was changed',
    title: 'Your email address was changed',
    intro: 'The address of your account was changed from {{ .OldEmail }} to {{ .Email }}.',
    closing: alarm,
  },
  phone_changed_notification: {
    subject: 'Your phone number was changed',
    title: 'Your phone number was changed',
    intro: 'The phone number of your account {{ .Email }} was changed from {{ .OldPhone }} to {{ .Phone }}.',
    closing: alarm,
  },
  identity_linked_notification: {
    subject: 'A new sign-in method was linked to your account',
    title: 'A sign-in method was added',
    intro: 'You can now sign in to your account {{ .Email }} with {{ .Provider }}.',
    closing: alarm,
  },
  identity_unlinked_notification: {
    subject: 'A sign-in method was removed from your account',
    title: 'A sign-in method was removed',
    intro: '{{ .Provider }} can no longer be used to sign in to your account {{ .Email }}.',
    closing: alarm,
  },
  mfa_factor_enrolled_notification: {
    subject: 'A new verification method was added to your account',
    title: 'A verification method was added',
    intro: `${factor} can now be used to confirm who signs in to your account {{ .Email }}.`,
    closing: alarm,
  },
  mfa_factor_unenrolled_notification: {
    subject: 'A verification method was removed from your account',
    title: 'A verification method was removed',
    intro: `${factor} can no longer be used to confirm who signs in to your account {{ .Email }}.`,
    closing: alarm,
  },
} as const satisfies Record<string, Content>;

export type TemplateName = keyof typeof contents;

export const templateNames = Object.keys(contents) as TemplateName[];

export function defaultMail(name: TemplateName, { color }: Pick<MailBrand, 'color'>): DefaultMail {
  const content: Content = contents[name];
  return { subject: content.subject, html: html(content, color), text: text(content) };
}

/** Returns black or white, depending on which has more contrast with the color (WCAG 2.2, relative luminance). */
export function textOn(color: string): '#000000' | '#ffffff' {
  const [r = 0, g = 0, b = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(color.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  const luminance = 0.2126 * r + 0.7152 * g + 0.0722 * b;
  return 1.05 / (luminance + 0.05) >= (luminance + 0.05) / 0.05 ? '#ffffff' : '#000000';
}

function text({ title, intro, button, showsCode, closing }: Content): string {
  const parts = [title, intro];
  if (showsCode) parts.push('    {{ .Token }}');
  if (button !== undefined) parts.push(`${button}: {{ .ConfirmationURL }}`);
  const help = '{{ if .Brand.supportUrl }}\n\nHelp: {{ .Brand.supportUrl }}{{ end }}';
  const sender = '{{ if .Brand.name }}\n\n-- \n{{ .Brand.name }}{{ end }}';
  return `${[...parts, closing].join('\n\n')}${help}${sender}\n`;
}

const fonts = "-apple-system, 'Segoe UI', Roboto, Helvetica, Arial, sans-serif";

function html({ title, intro, button, showsCode, closing }: Content, color: string): string {
  const code = showsCode
    ? `
          <tr><td class="panel" style="padding:20px;border-radius:10px;background:#f1f5f4;text-align:center;font:700 34px/1.2 ui-monospace,Menlo,Consolas,monospace;letter-spacing:8px;color:#0f172a">{{ .Token }}</td></tr>
          <tr><td style="height:24px"></td></tr>`
    : '';
  const link =
    button === undefined
      ? ''
      : `
          <tr><td align="center"><a href="{{ .ConfirmationURL }}" style="display:inline-block;padding:13px 28px;border-radius:8px;background:${color};color:${textOn(color)};font:600 16px/1.25 ${fonts};text-decoration:none">${button}</a></td></tr>
          <tr><td style="height:24px"></td></tr>`;
  return `<!doctype html>
<html lang="en">
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
<body class="page" style="margin:0;background:#f4f6f6">
  <table role="presentation" class="page" width="100%" cellpadding="0" cellspacing="0" style="background:#f4f6f6">
    <tr><td align="center" style="padding:40px 16px">
      <table role="presentation" class="card" width="100%" cellpadding="0" cellspacing="0" style="max-width:480px;background:#ffffff;border-radius:14px">
        <tr><td style="padding:36px 32px">
          <table role="presentation" width="100%" cellpadding="0" cellspacing="0">
          <tr><td class="strong" style="font:700 22px/1.3 ${fonts};color:#0f172a">${title}</td></tr>
          <tr><td style="height:12px"></td></tr>
          <tr><td class="soft" style="font:400 16px/1.5 ${fonts};color:#475569">${intro}</td></tr>
          <tr><td style="height:24px"></td></tr>${code}${link}
          <tr><td class="soft" style="font:400 13px/1.5 ${fonts};color:#64748b">${closing}</td></tr>
          </table>
        </td></tr>
      </table>
      {{- if or .Brand.name .Brand.supportUrl }}
      <p class="soft" style="margin:20px 0 0;font:400 13px/1.5 ${fonts};color:#64748b">{{ .Brand.name }}
        {{- if .Brand.supportUrl }}{{ if .Brand.name }} &middot; {{ end }}<a class="soft" href="{{ .Brand.supportUrl }}" style="color:#64748b">Help</a>{{ end }}</p>
      {{- end }}
    </td></tr>
  </table>
</body>
</html>
`;
}
