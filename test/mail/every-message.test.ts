/**
 * Tests every email and text message in every language. The tests trigger each message with a user's action, and
 * compare it with the full text that the recipient should read. For a new kind of message, a row must be added to the
 * table of expected texts.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { templateNames } from '../../src/services/auth/messages/texts/mails.ts';
import { type Email, emails } from './every-message/emails.ts';
import { htmlLines, textLines } from './every-message/reading.ts';
import { codeIn, type Sent } from './every-message/senders.ts';
import { type Language, languages, openStage, type Stage } from './every-message/stage.ts';
import { texts } from './every-message/text-messages.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage.stop());

const words = {
  en: {
    dir: 'ltr',
    time: /[A-Z][a-z]+ \d{1,2}, \d{4} at \d\d:\d\d UTC/,
    facts: (time: string, network: string) => [
      `Time: ${time}`,
      'Device: Chrome on Windows',
      `Network: ${network}`,
    ],
    help: 'Help',
    text: (code: string) => `${code} is your Harbor code. Never share it.`,
  },
  ar: {
    dir: 'rtl',
    time: /\d{1,2} \S+ \d{4} في \d\d:\d\d UTC/,
    facts: (time: string, network: string) => [
      `الوقت: ${time}`,
      'الجهاز: Chrome على Windows',
      `الشبكة: ${network}`,
    ],
    help: 'المساعدة',
    text: (code: string) => `${code} هو رمزك في Harbor. لا تشاركه مع أي شخص.`,
  },
} as const;

test('every kind of email has a row', () => {
  expect([...new Set(emails.map(({ name }) => name))].sort()).toEqual([...templateNames].sort());
});

/**
 * Returns the expected texts with the values of this email filled in, and the expected lines between the header and the
 * footer.
 */
function expectedOf(row: Email, language: Language, { message, email, names = {} }: Sent) {
  const { time, facts } = words[language];
  const times = [...message.text.matchAll(new RegExp(time, 'g'))].map(([found]) => found);
  const values: Readonly<Record<string, string>> = {
    email,
    code: codeIn(message),
    // If an email contains two times, the second one is the time of the change, and the first one belongs to the text.
    time: times[0] ?? '',
    ...names,
  };
  const fill = (template: string): string =>
    template.replace(/\{(\w+)\}/g, (all, name) => values[name] ?? all);
  const { subject, title, intro, button, closing, undo } = row[language];
  const code = row.hasCode === true ? [values.code ?? ''] : [];
  const isBy = row.by === 'server' ? 1 : 3;
  const known =
    row.by === undefined ? [] : facts(times.at(-1) ?? '', names.network ?? '203.0.113.*').slice(0, isBy);
  const lines = [
    title,
    intro,
    ...code,
    ...(button ? [button] : []),
    ...known,
    closing,
    ...(undo ? [undo] : []),
  ];
  return { subject: fill(subject), preview: fill(intro), lines: lines.map(fill), code: values.code ?? '' };
}

describe.each(languages)('in %s', (language) => {
  const { dir, help, text } = words[language];

  describe('the email', () => {
    test.each(
      emails.map(
        (row) => [row.when === undefined ? row.name : `${row.name}, when ${row.when}`, row] as const,
      ),
    )('%s', async (_name, row) => {
      const sent = await row.send(stage, language);
      const { message } = sent;
      const expected = expectedOf(row, language, sent);
      expect({ from: message.from, subject: message.subject }).toEqual({
        from: 'Harbor',
        subject: expected.subject,
      });
      if (row.hasCode === true) expect(expected.code).toMatch(/^\d{6}$/);

      const plain = textLines(message.text);
      expect(plain.lines).toEqual([...expected.lines, help, '--', 'Harbor']);
      const html = htmlLines(message.html);
      expect(html.lines).toEqual(['Harbor', ...expected.lines, 'Harbor ·', help]);
      expect(html.preview).toBe(expected.preview);
      expect(html.links).toEqual(plain.links);
      // An address that fits on one line isn't wrapped after a hyphen.
      if (row[language].intro.includes('{email}'))
        expect(message.html).toContain(`anywhere">${sent.email}</bdi>`);
      expect(message.html).toContain(`<html lang="${language}" dir="${dir}">`);

      const pages = [row.leadsTo, row.undoAt].filter((page) => page !== undefined);
      expect(plain.links.map((link) => link.replace(/\?.*/, ''))).toEqual([
        ...pages.map((page) => `${stage.origin}/account/${page}`),
        'https://harbor.example/help',
      ]);
      for (const link of plain.links.slice(0, -1)) {
        const page = await fetch(link, { headers: stage.browserHeaders(language) });
        expect({ link, status: page.status }).toEqual({ link, status: 200 });
        expect(await page.text()).toContain(`<html lang="${language}" dir="${dir}"`);
      }
    });
  });

  describe.each(Object.entries(texts))('the text message of the kind %s', (_kind, senders) => {
    test.each(Object.entries(senders))('for %s', async (_for, send) => {
      const { text: body } = await send(stage, language);
      const code = /^\d{6}/.exec(body)?.[0] ?? '';
      // Browsers fill in the code on the site that the last line names.
      expect(body.trim()).toBe(`${text(code)}\n\n@localhost #${code}`);
    });
  });
});
