/** Reads captured emails as their recipients see them. */
import type { Backend } from '../../src/entry/main.ts';

export interface ReadMail {
  readonly from: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  readonly code: string;
  /** The URL of the email's button. */
  readonly link: string;
}

/**
 * Returns the latest email to an address. With `matching` or `containing`, waits for an email with a matching subject
 * or text.
 */
export async function latestMail(
  backend: Backend,
  to: string,
  matching = /./,
  containing = /(?:)/,
): Promise<ReadMail> {
  const mailUrl = backend.status().MAILPIT_URL;
  const search = `${mailUrl}/api/v1/search?query=${encodeURIComponent(`to:"${to}"`)}`;
  for (let attempt = 0; attempt < 600; attempt += 1) {
    const { messages } = (await (await fetch(search)).json()) as {
      messages: { ID: string; Subject: string }[];
    };
    for (const found of messages.filter(({ Subject }) => matching.test(Subject))) {
      const mail = (await (await fetch(`${mailUrl}/api/v1/message/${found.ID}`)).json()) as {
        From: { Name: string };
        Subject: string;
        Text: string;
        HTML: string;
      };
      if (!containing.test(mail.Text)) continue;
      return {
        from: mail.From.Name,
        subject: mail.Subject,
        text: mail.Text,
        html: mail.HTML,
        code: /\b\d{6}\b/.exec(mail.Text)?.[0] ?? '',
        link: /http\S+\/account\/confirm\?\S+/.exec(mail.Text)?.[0] ?? '',
      };
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`No email matching ${matching} came to ${to}.`);
}

/** Returns the number of emails to an address. */
export async function countMails(backend: Backend, to: string): Promise<number> {
  const mailUrl = backend.status().MAILPIT_URL;
  const found = await fetch(`${mailUrl}/api/v1/search?query=${encodeURIComponent(`to:"${to}"`)}`);
  return ((await found.json()) as { messages: unknown[] }).messages.length;
}
