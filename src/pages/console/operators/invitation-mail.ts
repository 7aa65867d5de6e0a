/** The email with an operator's sign-in link. */

import { escapeMarkup } from '../../../base/shared/printable.ts';
import type { OutgoingMail } from '../../../services/mail/types.ts';

export interface InvitationFacts {
  readonly to: string;
  /** The project's name. */
  readonly project: string;
  readonly operator: string;
  readonly invitedBy: string;
  readonly link: string;
  readonly expiresAt: Date;
}

export function invitationMail({
  to,
  project,
  operator,
  invitedBy,
  link,
  expiresAt,
}: InvitationFacts): OutgoingMail {
  const until = `${expiresAt.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
  const intro = `${invitedBy} created a sign-in link for you to the Console of ${project}. Your operator name is ${operator}.`;
  const rules = `The link works once and expires at ${until}. Don't forward it, because anyone who opens it is signed in as ${operator}.`;
  const unexpected = "If you don't know why you received this email, ignore it.";
  return {
    to,
    fromName: project,
    subject: `Sign in to the Console of ${project}`,
    text: `${intro}\n\n${link}\n\n${rules}\n\n${unexpected}\n`,
    html: `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="color-scheme" content="light dark"></head>
<body style="font-family: system-ui, sans-serif; line-height: 1.5">
<p>${escapeMarkup(intro)}</p>
<p><a href="${escapeMarkup(link)}">Sign in to the Console</a></p>
<p>${escapeMarkup(rules)}</p>
<p>${escapeMarkup(unexpected)}</p>
</body>
</html>
`,
  };
}
