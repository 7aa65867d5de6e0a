/** Tests the captured inbox over HTTP in Mailpit's format, and emails that are sent through an SMTP server. */
import { createServer } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { silentLogger } from '../../src/base/kernel/log.ts';
import { configFrom, createLiveConfig } from '../../src/platform/config/index.ts';
import { createTestDatabase } from '../../src/platform/database/testing.ts';
import type { Database } from '../../src/platform/database/types.ts';
import { createMail, migrations } from '../../src/services/mail/index.ts';
import { sendTwice } from '../support/one-connection.ts';

let database: Database;
let drop: () => Promise<void>;
beforeAll(async () => {
  ({ database, drop } = await createTestDatabase('mail', (db) => db.migrate([migrations])));
});
afterAll(() => drop());

const mailOf = (to: string, subject: string, text = 'Your code is 123456') => ({
  to,
  subject,
  text,
  html: `<p>${text}</p>`,
});

async function startMail() {
  const mail = createMail({
    database,
    config: createLiveConfig(configFrom({})),
    port: 0,
    host: '127.0.0.1',
    log: silentLogger,
  });
  await mail.start?.();
  const base = `http://127.0.0.1:${mail.port()}`;
  const api = async (path: string, init?: RequestInit) => {
    const response = await fetch(`${base}${path}`, init);
    const body = await response.text();
    return {
      status: response.status,
      type: response.headers.get('content-type'),
      body,
      json: () => JSON.parse(body),
      headers: response.headers,
    };
  };
  return { ...mail, api, stop: () => mail.stop?.() };
}

describe('the inbox', () => {
  let mail: Awaited<ReturnType<typeof startMail>>;
  beforeAll(async () => {
    mail = await startMail();
  });
  afterAll(() => mail.stop());
  beforeEach(() => mail.inbox.remove());

  test('lists the newest emails first, in pages', async () => {
    for (const subject of ['one', 'two', 'three'])
      await mail.mailer.sendMail(mailOf('ann@example.com', subject));
    const { type, json } = await mail.api('/api/v1/messages?limit=2');
    expect(type).toBe('application/json');
    expect(json()).toMatchObject({
      total: 3,
      unread: 3,
      count: 2,
      messages_count: 3,
      messages_unread: 3,
      start: 0,
      tags: [],
    });
    const [entry] = json().messages;
    expect(entry).toEqual({
      ID: expect.stringMatching(/^[0-9a-f]{22}$/),
      MessageID: expect.stringContaining('@'),
      Read: false,
      From: { Name: 'Admin', Address: 'admin@email.com' },
      To: [{ Name: '', Address: 'ann@example.com' }],
      Cc: [],
      Bcc: [],
      ReplyTo: [],
      Subject: 'three',
      Created: expect.stringMatching(/^\d{4}-.*Z$/),
      Username: '',
      Tags: [],
      Size: expect.any(Number),
      Attachments: 0,
      Snippet: 'Your code is 123456',
    });
    expect((await mail.api('/api/v1/messages?limit=2&start=2')).json().messages).toMatchObject([
      { Subject: 'one' },
    ]);
  });

  test('returns an email with its parts and views, and marks it as read', async () => {
    await mail.mailer.sendMail(mailOf('ann@example.com', 'Grüße', 'Hällo\nWorld'));
    const latest = (await mail.api('/api/v1/message/latest')).json();
    expect(latest).toMatchObject({
      Subject: 'Grüße',
      Text: 'Hällo\nWorld',
      HTML: '<p>Hällo\nWorld</p>',
      Attachments: [],
      Inline: [],
    });
    const path = `/api/v1/message/${latest.ID}`;
    const raw = (await mail.api(`${path}/raw`)).body;
    expect(raw).toContain('Subject: =?utf-8?B?R3LDvMOfZQ==?=\r\n');
    expect(raw).toContain(Buffer.from('Hällo\nWorld').toString('base64'));
    expect((await mail.api(`${path}/headers`)).json()).toMatchObject({
      To: ['ann@example.com'],
      From: ['Admin <admin@email.com>'],
    });
    const view = await mail.api(`/view/${latest.ID}.html`);
    expect([view.type, view.body]).toEqual(['text/html; charset=utf-8', '<p>Hällo\nWorld</p>']);
    expect(view.headers.get('content-security-policy')).toContain('sandbox');
    expect((await mail.api(`/view/${latest.ID}.txt`)).body).toBe('Hällo\nWorld');
    expect((await mail.api('/api/v1/messages')).json()).toMatchObject({
      unread: 0,
      messages: [{ Read: true }],
    });
    expect((await mail.api('/api/v1/message/nosuch')).status).toBe(404);
  });

  test.each([
    ['to:ann@example.com', ['b', 'a']],
    ['to:"bob@example.com" subject:c', ['c']],
    ['-to:ann', ['c']],
    ['CODE', ['c', 'b', 'a']],
    ['code 77', ['b']],
    ['is:read', []],
    ['!is:read', ['c', 'b', 'a']],
    ['nothing', []],
    ["'; drop table x; --", []],
  ])('can be searched for %s', async (query, subjects) => {
    await mail.mailer.sendMail(mailOf('ann@example.com', 'a'));
    await mail.mailer.sendMail(mailOf('ann@example.com', 'b', 'Code 77'));
    await mail.mailer.sendMail(mailOf('bob@example.com', 'c'));
    const found = (await mail.api(`/api/v1/search?query=${encodeURIComponent(query)}`)).json();
    expect(found.messages.map((message: { Subject: string }) => message.Subject)).toEqual(subjects);
    expect(found).toMatchObject({ total: 3, messages_count: subjects.length });
  });

  test('deletes emails by ID, by search, or all of them', async () => {
    for (const to of ['a@x.de', 'b@x.de', 'c@x.de', 'd@x.de']) await mail.mailer.sendMail(mailOf(to, to));
    const [first] = (await mail.api('/api/v1/messages')).json().messages;
    const remove = (body?: object) =>
      mail.api('/api/v1/messages', { method: 'DELETE', ...(body ? { body: JSON.stringify(body) } : {}) });
    expect((await remove({ IDs: [first.ID] })).body).toBe('ok');
    await mail.api('/api/v1/search?query=to:a@x.de', { method: 'DELETE' });
    const left = (await mail.api('/api/v1/messages')).json().messages;
    expect(left.map((message: { Subject: string }) => message.Subject)).toEqual(['c@x.de', 'b@x.de']);
    expect((await mail.api('/api/v1/search?query=', { method: 'DELETE' })).status).toBe(400);
    await remove();
    expect((await mail.api('/api/v1/messages')).json().total).toBe(0);
    expect((await mail.api('/api/v1/messages', { method: 'DELETE', body: '{' })).status).toBe(400);
    const url = `http://127.0.0.1:${mail.port()}/api/v1/messages`;
    const responses = await sendTwice(url, { method: 'DELETE', body: ' '.repeat(6_000_000) });
    const tooLarge = { status: 400, body: '{"Error":"the body is too large"}' };
    expect(responses).toEqual([tooLarge, tooLarge]);
  });

  test('shows text messages together with emails', async () => {
    await mail.mailer.captureSms({ to: '15551234567', body: 'Your code is 123456', channel: 'sms' });
    expect(await mail.inbox.list({ limit: 5, offset: 0, search: 'to:15551234567' })).toMatchObject({
      total: 1,
      messages: [{ kind: 'sms', text: 'Your code is 123456', read: false }],
    });
  });

  test('keeps captured emails after a restart', async () => {
    await mail.mailer.sendMail(mailOf('ann@example.com', 'kept'));
    const next = await startMail();
    expect((await next.api('/api/v1/messages')).json().messages).toMatchObject([{ Subject: 'kept' }]);
    await next.stop();
  });
});

test('with a configured SMTP server, emails are sent there', async () => {
  const received: string[] = [];
  const server = createServer((socket) => {
    let inData = false;
    socket.write('220 test\r\n');
    socket.on('data', (chunk) => {
      received.push(chunk.toString());
      if (inData) {
        if (chunk.toString().endsWith('\r\n.\r\n')) {
          inData = false;
          socket.write('250 queued\r\n');
        }
        return;
      }
      const verb = chunk.toString().slice(0, 4).toUpperCase();
      if (verb === 'DATA') {
        inData = true;
        socket.write('354 go\r\n');
      } else if (verb === 'QUIT') socket.end('221 bye\r\n');
      else socket.write('250 ok\r\n');
    });
    socket.on('error', () => undefined);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  const smtp = {
    enabled: true,
    host: '127.0.0.1',
    port,
    user: 'u',
    pass: 'p',
    admin_email: 'app@example.com',
    sender_name: 'App',
  };
  const mail = createMail({
    database,
    config: createLiveConfig(configFrom({ auth: { email: { smtp: { ...smtp, user: '' } } } })),
    port: 0,
    host: '127.0.0.1',
    log: silentLogger,
  });
  try {
    await mail.mailer.sendMail(mailOf('ann@example.com', 'Hello\r\nBcc: evil@example.org'));
    const talk = received.join('');
    expect(talk).toContain('MAIL FROM:<app@example.com>');
    expect(talk).toContain('RCPT TO:<ann@example.com>');
    expect(talk).not.toContain('RCPT TO:<evil@example.org>');
    expect(talk).not.toMatch(/^Bcc:/m);
    expect((await mail.inbox.list({ limit: 1, offset: 0, search: 'Hello' })).total).toBe(0);
  } finally {
    await mail.stop?.();
    server.close();
  }
});
