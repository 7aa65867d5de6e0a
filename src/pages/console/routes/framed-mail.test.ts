import fc from 'fast-check';
import { expect, test } from 'vitest';
import { framedHtml, messageFacts } from './framed-mail.ts';

test.each([
  ['Your code is 123456.', '123456'],
  ['Enter 12345678 now', '12345678'],
  ['Order 2026-11-21, no code', null],
  ['See http://127.0.0.1:54321/verify?token=123456', null],
  ['', null],
])('the code in %j', (text, code) => {
  expect(messageFacts({ text, html: '' }).code).toBe(code);
});

test('the link is read from the HTML first, with decoded entities', () => {
  const html = '<p>Hi</p><a href="http://localhost/verify?a=1&amp;b=2">go</a>';
  expect(messageFacts({ text: 'or http://other/', html }).link).toBe('http://localhost/verify?a=1&b=2');
  expect(messageFacts({ text: 'see http://other/x.', html: '' }).link).toBe('http://other/x.');
  expect(messageFacts({ text: '', html: '<a href="javascript:alert(1)">x</a>' }).link).toBeNull();
});

test('only HTTP links are returned', () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), (text, html) => {
      const { link, code } = messageFacts({ text, html });
      expect(link === null || /^https?:\/\//.test(link)).toBe(true);
      expect(code === null || /^\d{6,10}$/.test(code)).toBe(true);
    }),
  );
});

test('links in a framed message open in another window', () => {
  expect(framedHtml('<html><head><title>x</title></head></html>')).toContain('<head><base target="_blank">');
  expect(framedHtml('<p>x</p>')).toMatch(/^<!doctype html><base target="_blank"><p>/);
});

test.each(['<', '<style ', '<title>', '<head', '<a href=', "href='https://a", '&lt;', '1 '])(
  'many repetitions of %j are read in linear time',
  (part) => {
    const html = part.repeat(1_000_000 / part.length);
    const startedAt = performance.now();
    messageFacts({ text: '', html });
    framedHtml(html);
    expect(performance.now() - startedAt).toBeLessThan(5000);
  },
);

test('invisible elements and tags aren’t part of the text', () => {
  const html = '<title>123456</title><style>p{}</style><p class="x">Hi <b>there</b></p><script>let a = 1';
  expect(messageFacts({ text: '', html })).toMatchObject({ code: null, snippet: 'Hi there' });
});
