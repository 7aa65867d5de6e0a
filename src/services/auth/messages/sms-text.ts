/** Builds the default text message for codes that users request on the Account pages. */
import { isIP } from 'node:net';
import { mailLanguage, wordsIn } from './default-mails.ts';

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
  const sentence = wordsIn(mailLanguage(pageLanguage)).textMessage(code, name);
  const { hostname } = new URL(pageUrl);
  // The format of the last line requires a domain name.
  const isDomain = isIP(hostname.replace(/^\[|\]$/g, '')) === 0;
  return isDomain ? `${sentence}\n\n@${hostname} #${code}` : sentence;
}
