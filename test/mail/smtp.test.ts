/** Tests emails through a real SMTP server: STARTTLS, sign-in, the sender's name, and attempts to inject headers. */
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { configFrom, type PartialConfig } from '../../src/platform/config/index.ts';
import { createSmtp, smtpOptions } from '../../src/services/mail/smtp.ts';
import { newEmail, startAuth } from '../auth/harness.ts';

const fixture = (name: string) => readFileSync(new URL(`./fixtures/${name}`, import.meta.url), 'utf8');
/** This key is valid only for localhost. */
const identity = { key: fixture('localhost.key.pem'), cert: fixture('localhost.cert.pem') };

interface Received {
  readonly from: string;
  readonly to: readonly string[];
  readonly isSecure: boolean;
  readonly user: string | undefined;
  readonly message: string;
}

type SmtpSettings = NonNullable<NonNullable<NonNullable<PartialConfig['auth']>['email']>['smtp']>;

/** Listens on a free port if `port` is 0. If a fixed port is used by another test run, waits until the port is free. */
async function listen(server: SMTPServer, port: number): Promise<void> {
  for (;;) {
    const listening = Promise.withResolvers<boolean>();
    const isTaken = (error: NodeJS.ErrnoException) =>
      error.code === 'EADDRINUSE' ? listening.resolve(false) : listening.reject(error);
    server.server.once('error', isTaken);
    server.listen(port, '127.0.0.1', () => listening.resolve(true));
    const isListening = await listening.promise;
    server.server.off('error', isTaken);
    if (isListening) return;
    await sleep(100);
  }
}

async function startServer(options: SMTPServerOptions = {}, wantedPort = 0) {
  const received: Received[] = [];
  const server = new SMTPServer({
    ...identity,
    logger: false,
    disabledCommands: ['AUTH'],
    onAuth({ username, password }, _session, done) {
      if (username === 'mailer' && password === 'secret') done(null, { user: username });
      else done(new Error('Invalid credentials'));
    },
    async onData(stream, session, done) {
      const chunks: Buffer[] = [];
      for await (const chunk of stream as AsyncIterable<Buffer>) chunks.push(chunk);
      const { mailFrom, rcptTo } = session.envelope;
      received.push({
        from: mailFrom ? mailFrom.address : '',
        to: rcptTo.map(({ address }) => address),
        isSecure: session.secure,
        user: session.user as string | undefined,
        message: Buffer.concat(chunks).toString(),
      });
      done();
    },
    ...options,
  });
  server.on('error', () => undefined);
  await listen(server, wantedPort);
  const { port } = server.server.address() as { port: number };
  const smtp: SmtpSettings = {
    enabled: true,
    host: 'localhost',
    port,
    admin_email: 'app@example.com',
    sender_name: 'Größe & Co, "Ltd"',
  };
  const stop = () => new Promise<void>((resolve) => server.close(resolve));
  return { received, smtp, stop };
}

async function send(
  smtp: SmtpSettings,
  mail: { to?: string; subject?: string; text?: string } = {},
): Promise<void> {
  const sender = createSmtp(configFrom({ auth: { email: { smtp } } }).auth.email.smtp);
  try {
    await sender.send({ to: 'ann@example.com', subject: 'Hello', text: 'Hi', html: '<p>Hi</p>', ...mail });
  } finally {
    sender.close();
  }
}

/** Returns the header fields of a message with folded lines joined. */
function headersOf(message: string): string[] {
  const [head = ''] = message.split('\r\n\r\n', 1);
  return head.replace(/\r\n[ \t]+/g, ' ').split('\r\n');
}

describe('with a trusted certificate', () => {
  const before = getCACertificates('default');
  beforeAll(() => setDefaultCACertificates([...before, identity.cert]));
  afterAll(() => setDefaultCACertificates(before));

  test('STARTTLS is used before the password is sent', async () => {
    const server = await startServer({ disabledCommands: [], authOptional: false });
    try {
      await send({ ...server.smtp, user: 'mailer', pass: 'secret' });
      expect(server.received).toMatchObject([
        { from: 'app@example.com', to: ['ann@example.com'], isSecure: true, user: 'mailer' },
      ]);
      await expect(send({ ...server.smtp, user: 'mailer', pass: 'wrong' })).rejects.toThrow(/Invalid/);
      await expect(send(server.smtp)).rejects.toThrow(/authentication/i);
      expect(server.received).toHaveLength(1);
    } finally {
      await server.stop();
    }
  });

  test('with implicit TLS, nothing is sent unencrypted', async () => {
    const server = await startServer({ secure: true, disabledCommands: [], authOptional: false }, 2465);
    try {
      await send({ ...server.smtp, user: 'mailer', pass: 'secret' });
      expect(server.received).toMatchObject([{ to: ['ann@example.com'], isSecure: true, user: 'mailer' }]);
    } finally {
      await server.stop();
    }
    // On this port, a server that doesn't use TLS from the start is rejected.
    const clear = await startServer({}, 2465);
    try {
      await expect(send(clear.smtp)).rejects.toThrow(/SSL|TLS/i);
      expect(clear.received).toEqual([]);
    } finally {
      await clear.stop();
    }
  });

  test('both parts and the sender’s name are received', async () => {
    const server = await startServer();
    try {
      await send(server.smtp, { subject: 'Grüße', text: 'only text' });
      const [{ message } = { message: '' }] = server.received;
      const headers = headersOf(message);
      expect(headers).toContainEqual(expect.stringMatching(/^From: =\?UTF-8\?.+\?= <app@example\.com>$/));
      expect(headers).toContain('To: ann@example.com');
      expect(message).toMatch(/^Content-Type: multipart\/alternative/m);
      expect(message.indexOf('text/plain')).toBeLessThan(message.indexOf('text/html'));
    } finally {
      await server.stop();
    }
  });

  test('text in a field can’t add a header or a recipient', async () => {
    const server = await startServer();
    try {
      const attack = 'x\r\nBcc: evil@example.org\r\n\r\n<script>';
      await send({ ...server.smtp, sender_name: attack }, { subject: attack });
      await send(server.smtp, { to: 'ann@example.com, evil@example.org' }).catch(() => undefined);
      await send(server.smtp, { to: 'ann@example.com\r\nRCPT TO:<evil@example.org>' }).catch(() => undefined);
      for (const { to, message } of server.received) {
        expect(to).not.toContain('evil@example.org');
        expect(headersOf(message).filter((line) => /^bcc:/i.test(line))).toEqual([]);
      }
      expect(server.received[0]?.to).toEqual(['ann@example.com']);
    } finally {
      await server.stop();
    }
  });

  test('text of every kind is one encoded header', async () => {
    const server = await startServer();
    const texts = [
      'é',
      'a\u0085b',
      '日本',
      '🦊'.repeat(100),
      'a\ud800b',
      `a"b\\c<d>, e@f.example`,
      'a\tb\u0001',
    ];
    try {
      for (const text of texts) await send({ ...server.smtp, sender_name: text }, { subject: text });
      expect(server.received).toHaveLength(texts.length);
      for (const { from, to, message } of server.received) {
        const lines = headersOf(message);
        expect([from, to]).toEqual(['app@example.com', ['ann@example.com']]);
        expect(lines.filter((line) => /^(?:From|To|Subject):/.test(line))).toHaveLength(3);
        for (const line of lines) expect(line).toMatch(/^[\t\x20-\x7e]*$/);
      }
    } finally {
      await server.stop();
    }
  });
});

test.each([
  ['STARTTLS', {}, 0],
  ['TLS from the first byte', { secure: true }, 2465],
] as const)('an untrusted certificate is rejected: %s', async (_name, options, port) => {
  const server = await startServer(options, port);
  try {
    await expect(send(server.smtp)).rejects.toThrow(/certificate/);
    expect(server.received).toEqual([]);
  } finally {
    await server.stop();
  }
});

test.each([
  [
    { host: 'mail.example.com', port: 587 },
    { port: 587, secure: false, requireTLS: false },
  ],
  [
    { host: 'mail.example.com', port: 465 },
    { port: 465, secure: true },
  ],
  [
    { host: 'mail.example.com', port: 2465 },
    { port: 2465, secure: true },
  ],
  [
    { host: 'mail.example.com', port: 25, user: 'u', pass: 'p' },
    { requireTLS: true, auth: { user: 'u', pass: 'p' } },
  ],
  [{ host: '127.0.0.1', port: 25, user: 'u', pass: 'p' }, { requireTLS: false }],
])('the connection options for %o are correct', (smtp, options) => {
  expect(
    smtpOptions(
      configFrom({ auth: { email: { smtp: { ...smtp, admin_email: 'a@example.com' } } } }).auth.email.smtp,
    ),
  ).toMatchObject(options);
});

test('a sign-up sends its email through the project’s server, and fails without creating a user while that server is down', async () => {
  const mailServer = await startServer({ hideSTARTTLS: true });
  const server = await startAuth({ email: { enable_confirmations: true, smtp: mailServer.smtp } });
  try {
    const email = newEmail();
    const data = { name: 'Ann\r\nBcc: evil@example.org' };
    expect(
      (await server.client().auth.signUp({ email, password: 'correct horse', options: { data } })).error,
    ).toBeNull();
    expect(mailServer.received).toMatchObject([{ to: [email], isSecure: false }]);
    expect(await server.inbox(email)).toEqual([]);
    await mailServer.stop();
    const failed = await server.request('/signup', {
      json: { email: newEmail(), password: 'correct horse' },
    });
    expect([failed.status, await failed.json()]).toMatchObject([
      500,
      { error_code: 'unexpected_failure', msg: 'Error sending confirmation email' },
    ]);
    const { data: listed } = await server.admin().auth.admin.listUsers();
    expect(listed.users.map((user) => user.email)).toEqual([email]);
  } finally {
    await server.stop();
  }
});
