/**
 * Tests email content: the project's templates, the built-in templates, notices, and addresses that receive no email.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { totpCode } from '../../src/base/shared/one-time-codes.ts';
import type { PartialConfig } from '../../src/platform/config/index.ts';
import { codeOf, linkOf, newEmail, startAuth } from './harness.ts';

const password = 'correct horse';

type Auth = NonNullable<PartialConfig['auth']>;

describe('project templates', () => {
  const folder = mkdtempSync(join(tmpdir(), 'plinth-templates-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  const file = (name: string, text: string) => {
    const path = join(folder, `${name}.html`);
    writeFileSync(path, text);
    return path;
  };
  const variables =
    '{{ .SiteURL }}|{{ .ConfirmationURL }}|{{ .Email }}|{{ .Token }}|{{ .TokenHash }}|{{ .RedirectTo }}|{{ .Data.name }}';
  const withTemplates = (template: NonNullable<Auth['email']>['template'], more: Auth = {}): Auth => ({
    site_url: 'https://app.example.com',
    ...more,
    email: { enable_confirmations: true, ...more.email, template: template ?? {} },
  });

  test('every variable is escaped for its context, and the text part has the same content', async () => {
    const content = `<p>${variables}</p><a href="{{ .ConfirmationURL }}">Go</a>`;
    const server = await startAuth(
      withTemplates({ confirmation: { subject: 'Hi {{ .Data.name }}', content_path: file('all', content) } }),
    );
    try {
      const email = newEmail();
      const data = { name: 'Ann <b>& "Co"</b>\r\nBcc: evil@example.org' };
      await server.client().auth.signUp({ email, password, options: { data } });
      const [mail] = await server.inbox(email);
      const link = /href="([^"]+)"/.exec(mail?.html ?? '')?.[1]?.replaceAll('&amp;', '&') ?? '';
      const hash = new URL(link).searchParams.get('token') ?? '';
      const shown = (text: string) => text.replaceAll('&', '&amp;');
      expect(/<p>(.*)<\/p>/s.exec(mail?.html ?? '')?.[1]?.split('|')).toEqual([
        'https://app.example.com',
        shown(link),
        email,
        expect.stringMatching(/^\d{6}$/),
        hash,
        'https://app.example.com',
        'Ann &lt;b&gt;&amp; &#34;Co&#34;&lt;/b&gt;\r\nBcc: evil@example.org',
      ]);
      expect(mail?.subject).toBe('Hi Ann <b>& "Co"</b> Bcc: evil@example.org');
      expect(mail?.text).toContain(`Go: ${link}`);
      expect((await fetch(link, { redirect: 'manual' })).headers.get('location')).toContain('#access_token=');
    } finally {
      await server.stop();
    }
  });

  test('a link can be built from the token’s hash', async () => {
    const content = '<a href="{{ .SiteURL }}/confirm?token_hash={{ .TokenHash }}&type=email">Go</a>';
    const server = await startAuth(withTemplates({ magic_link: { content_path: file('own', content) } }));
    try {
      const email = newEmail();
      const client = server.client();
      await client.auth.signUp({ email, password });
      await client.auth.verifyOtp({ email, token: codeOf((await server.inbox(email))[0]), type: 'signup' });
      await client.auth.signInWithOtp({ email });
      const [mail] = await server.inbox(email);
      const token_hash =
        /token_hash=([0-9a-f]{56})&/.exec(mail?.html.replaceAll('&amp;', '&') ?? '')?.[1] ?? '';
      expect((await client.auth.verifyOtp({ token_hash, type: 'email' })).data.session).not.toBeNull();
    } finally {
      await server.stop();
    }
  });

  test('an address change template receives both addresses and the recipient', async () => {
    const content = '<p>{{ .Email }}|{{ .NewEmail }}|{{ .SendingTo }}</p>';
    const server = await startAuth(
      withTemplates(
        { email_change: { content_path: file('change', content) } },
        { email: { enable_confirmations: false } },
      ),
    );
    try {
      const [email, next] = [newEmail(), newEmail()];
      const client = server.client();
      await client.auth.signUp({ email, password });
      await client.auth.updateUser({ email: next });
      expect((await server.inbox(email))[0]?.text).toBe([email, next, email].join('|'));
      expect((await server.inbox(next))[0]?.text).toBe([email, next, next].join('|'));
    } finally {
      await server.stop();
    }
  });

  test.each([
    ['is gone', 'gone'],
    ['is invalid', 'wrong'],
  ])('a template that %s is replaced by the built-in one', async (_what, name) => {
    const path = file(name, '{{ if .Token }}no end');
    const server = await startAuth(withTemplates({ confirmation: { content_path: path } }));
    if (name === 'gone') rmSync(path);
    try {
      const email = newEmail();
      await server.client().auth.signUp({ email, password });
      const [mail] = await server.inbox(email);
      expect(mail?.subject).toBe('Confirm your email address');
      expect(mail?.html).toContain(codeOf(mail));
      expect(linkOf(mail)).toContain('/verify?token=');
    } finally {
      await server.stop();
    }
  });
});

test('built-in templates contain the project’s name, color and support link', async () => {
  const branding = { name: 'Tide & Sons', color: '#e8b321', support_url: 'https://example.com/help' };
  const server = await startAuth({ email: { enable_confirmations: true } }, { plinth: { branding } });
  try {
    const email = newEmail();
    await server.client().auth.signUp({ email, password });
    const [mail] = await server.inbox(email);
    expect(mail?.html).toContain('Tide &amp; Sons');
    expect(mail?.html).toContain('background:#e8b321;color:#000000');
    expect(mail?.text).toMatch(/Help: https:\/\/example\.com\/help\n\n-- \nTide & Sons\n$/);
  } finally {
    await server.stop();
  }
});

describe('notices', () => {
  const on = { enabled: true };
  const notification = {
    password_changed: on,
    email_changed: on,
    phone_changed: { enabled: true, subject: '{{ .OldPhone }} is now {{ .Phone }}' },
    identity_linked: on,
    identity_unlinked: on,
    mfa_factor_enrolled: on,
    mfa_factor_unenrolled: on,
  };

  test('are sent for each change that the project enables', async () => {
    const server = await startAuth({
      email: { double_confirm_changes: false, notification },
      sms: { enable_signup: true },
      mfa: { totp: { enroll_enabled: true, verify_enabled: true } },
    });
    try {
      const [email, next] = [newEmail(), newEmail()];
      const client = server.client();
      await client.auth.signUp({ email, password });
      const subjects = async (to: string) => (await server.inbox(to)).map(({ subject }) => subject);
      await client.auth.updateUser({ password: 'another horse' });
      expect(await subjects(email)).toEqual(['Your password was changed']);
      await client.auth.updateUser({ phone: '15550002222' });
      expect((await subjects(email))[0]).toBe('A new sign-in method was linked to your account');
      await client.auth.updateUser({ phone: '15550003333' });
      expect((await subjects(email))[0]).toBe('15550002222 is now 15550003333');
      await client.auth.updateUser({ email: next });
      const token = codeOf((await server.inbox(next))[0]);
      await client.auth.verifyOtp({ email: next, token, type: 'email_change' });
      const [changed] = await server.inbox(email);
      expect(changed?.subject).toBe('Your email address was changed');
      expect(changed?.text).toContain(`from ${email} to ${next}`);
      const { data: factor } = await client.auth.mfa.enroll({ factorType: 'totp' });
      const secret = factor && 'totp' in factor ? factor.totp.secret : '';
      const code = totpCode(secret, Math.floor(Date.now() / 30_000)) ?? '';
      await client.auth.mfa.challengeAndVerify({ factorId: factor?.id ?? '', code });
      expect((await server.inbox(next))[0]).toMatchObject({
        subject: 'A new verification method was added to your account',
        text: expect.stringContaining('An authenticator app'),
      });
      await client.auth.mfa.unenroll({ factorId: factor?.id ?? '' });
      expect((await subjects(next))[0]).toBe('A verification method was removed from your account');
    } finally {
      await server.stop();
    }
  });

  test('aren’t sent for other changes', async () => {
    const server = await startAuth();
    try {
      const email = newEmail();
      const client = server.client();
      await client.auth.signUp({ email, password });
      await client.auth.updateUser({ password: 'another horse' });
      expect(await server.inbox(email)).toEqual([]);
    } finally {
      await server.stop();
    }
  });
});

describe('allowed recipients', () => {
  test('an allowlist allows only its addresses, including subaddresses', async () => {
    const server = await startAuth(
      { email: { enable_confirmations: true } },
      { plinth: { auth: { external: { email: { authorized_addresses: ['Ann@Example.com'] } } } } },
    );
    try {
      const client = server.client();
      expect((await client.auth.signUp({ email: 'ann+one@example.com', password })).error).toBeNull();
      expect(await server.inbox('ann+one@example.com')).toHaveLength(1);
      const refused = { status: 400, code: 'email_address_not_authorized' };
      const { error } = await client.auth.signUp({ email: 'bob@example.com', password });
      expect(error).toMatchObject({
        ...refused,
        message: 'Email address "bob@example.com" cannot be used as it is not authorized',
      });
      expect((await server.admin().auth.admin.inviteUserByEmail('bob@example.com')).error).toMatchObject(
        refused,
      );
      await client.auth.verifyOtp({
        email: 'ann+one@example.com',
        token: codeOf((await server.inbox('ann+one@example.com'))[0]),
        type: 'signup',
      });
      expect((await client.auth.updateUser({ email: 'bob@example.com' })).error).toMatchObject(refused);
      const { data } = await server.admin().auth.admin.listUsers();
      expect(data.users.map((user) => user.email)).toEqual(['ann+one@example.com']);
    } finally {
      await server.stop();
    }
  });

  test('reserved domains receive no email if addresses are checked', async () => {
    const server = await startAuth(
      { email: { enable_confirmations: true } },
      { plinth: { auth: { mailer: { email_validation_extended: true } } } },
    );
    try {
      const { error } = await server.client().auth.signUp({ email: 'ann@example.com', password });
      expect(error).toMatchObject({
        status: 400,
        code: 'email_address_invalid',
        message: 'Email address "ann@example.com" is invalid',
      });
    } finally {
      await server.stop();
    }
  });
});
