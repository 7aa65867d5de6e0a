/** Tests the template variables of every kind of email, and the corresponding payload of the send_email hook. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sql } from '../../src/base/kernel/sql.ts';
import { totpCode } from '../../src/base/shared/one-time-codes.ts';
import type { PartialConfig } from '../../src/platform/config/index.ts';
import { type AuthServer, newEmail, startAuth } from './harness.ts';

const password = 'correct horse';
type Email = NonNullable<NonNullable<PartialConfig['auth']>['email']>;

const names = [
  'SiteURL',
  'ConfirmationURL',
  'Email',
  'NewEmail',
  'SendingTo',
  'OldEmail',
  'Phone',
  'OldPhone',
  'Provider',
  'FactorType',
  'Token',
  'TokenHash',
  'RedirectTo',
] as const;
const templates = [
  'confirmation',
  'invite',
  'recovery',
  'magic_link',
  'email_change',
  'reauthentication',
] as const;
const notices = [
  'password_changed',
  'email_changed',
  'phone_changed',
  'identity_linked',
  'identity_unlinked',
  'mfa_factor_enrolled',
  'mfa_factor_unenrolled',
] as const;

const siteUrl = 'https://app.example.com';
const settings = {
  site_url: siteUrl,
  enable_manual_linking: true,
  jwt_expiry: 604_800,
  sms: { enable_signup: true },
  mfa: { totp: { enroll_enabled: true, verify_enabled: true } },
} as const;

interface Person {
  readonly email: string;
  readonly token: string;
  readonly id: string;
}

/**
 * Triggers every kind of email, one after another. Calls `told` to check each email, with the email's kind and
 * recipient.
 */
async function goThroughAll(
  server: AuthServer,
  told: (what: string, to: string) => Promise<void>,
  confirm: (to: string) => Promise<Person>,
): Promise<void> {
  const { admin } = server.admin().auth;
  const data = { name: 'Ann' };

  const email = newEmail();
  await server.request('/signup', { json: { email, password, data } });
  await told('signup', email);
  const confirmed = await confirm(email);
  const { id } = confirmed;
  let { token } = confirmed;

  const invited = newEmail();
  await admin.inviteUserByEmail(invited, { data });
  await told('invite', invited);
  await server.request('/recover', { json: { email } });
  await told('recovery', email);
  await server.request('/otp', { json: { email } });
  await told('magiclink', email);
  await server.request('/reauthenticate', { token });
  await told('reauthentication', email);

  const put = (json: object) => server.request('/user', { method: 'PUT', token, json });
  expect((await put({ password: 'another horse' })).status).toBe(200);
  await told('password_changed_notification', email);
  await put({ phone: '15550002222' });
  await told('identity_linked_notification', email);
  await put({ phone: '15550003333' });
  await told('phone_changed_notification', email);
  const [phone] = await server.database
    .pool('supabase_admin')
    .query<{ id: string }>(sql`select id from auth.identities where user_id = ${id} and provider = 'phone'`);
  await server.request(`/user/identities/${phone?.id}`, { method: 'DELETE', token });
  await told('identity_unlinked_notification', email);

  const ask = async <T>(path: string, json: object, method = 'POST') =>
    (await server.request(path, { method, json, token })).json<T>();
  const factor = await ask<{ id: string; totp: { secret: string } }>('/factors', { factor_type: 'totp' });
  const challenge = await ask<{ id: string }>(`/factors/${factor.id}/challenge`, {});
  const code = totpCode(factor.totp.secret, Math.floor(Date.now() / 30_000));
  const raised = await ask<{ access_token: string }>(`/factors/${factor.id}/verify`, {
    challenge_id: challenge.id,
    code,
  });
  token = raised.access_token;
  await told('mfa_factor_enrolled_notification', email);
  await ask(`/factors/${factor.id}`, {}, 'DELETE');
  await told('mfa_factor_unenrolled_notification', email);

  const next = newEmail();
  await put({ email: next });
  await told('email_change', next);
  await told('email_change, to the old address', email);
}

describe('templates', () => {
  const folder = mkdtempSync(join(tmpdir(), 'plinth-variables-'));
  let server: AuthServer;
  beforeAll(async () => {
    const content = join(folder, 'all.html');
    // A variable that a kind of email doesn't support is empty and doesn't cause an error.
    writeFileSync(content, `<p>${names.map((name) => `{{ .${name} }}`).join('|')}|{{ .Data.name }}</p>`);
    const own = (name: string) => [name, { content_path: content, subject: `${name} {{ .Email }}` }] as const;
    const email = {
      enable_confirmations: true,
      template: Object.fromEntries(templates.map(own)) as Email['template'],
      notification: Object.fromEntries(
        notices.map((name) => [name, { enabled: true, ...own(name)[1] }]),
      ) as Email['notification'],
    } as Email;
    server = await startAuth({ ...settings, email });
  });
  afterAll(async () => {
    await server.stop();
    rmSync(folder, { recursive: true });
  });

  test('contain the variables of their kind, and no others', async () => {
    const seen: Record<string, { subject: string; filled: string }> = {};
    const valuesIn = async (to: string) => {
      const [mail] = await server.inbox(to);
      const text = /<p>(.*)<\/p>/s.exec(mail?.html ?? '')?.[1]?.replaceAll('&amp;', '&') ?? '';
      const values = text.split('|');
      const of = Object.fromEntries([...names, 'Data'].map((name, index) => [name, values[index] ?? '']));
      return { subject: mail?.subject ?? '', of };
    };
    await goThroughAll(
      server,
      async (what, to) => {
        const { subject, of } = await valuesIn(to);
        const filled = Object.keys(of).filter((name) => of[name] !== '');
        seen[what] = { subject: subject.replace(` ${of.Email}`, ''), filled: filled.join(' ') };
        if (filled.includes('SiteURL')) expect(of.SiteURL).toBe(siteUrl);
        if (filled.includes('Data')) expect(of.Data).toBe('Ann');
        if (filled.includes('ConfirmationURL')) {
          const type = what.split(',', 1)[0];
          expect(of.ConfirmationURL).toBe(
            `${server.url}/auth/v1/verify?token=${of.TokenHash}&type=${type}&redirect_to=${siteUrl}`,
          );
          expect([of.RedirectTo, of.TokenHash]).toEqual([siteUrl, expect.stringMatching(/^[0-9a-f]{56}$/)]);
        }
        if (filled.includes('Token')) expect(of.Token).toMatch(/^\d{6}$/);
        if (filled.includes('SendingTo')) expect(of.SendingTo).toBe(to);
        if (what === 'phone_changed_notification') {
          expect([of.OldPhone, of.Phone]).toEqual(['15550002222', '15550003333']);
        }
        if (filled.includes('Provider')) expect(of.Provider).toBe('phone');
        if (filled.includes('FactorType')) expect(of.FactorType).toBe('totp');
      },
      async (to) => {
        const { of } = await valuesIn(to);
        const json = { type: 'signup', email: to, token: of.Token };
        const response = await server.request('/verify', { json });
        const { access_token: token, user } = await response.json<{
          access_token: string;
          user: { id: string };
        }>();
        return { email: to, token, id: user.id };
      },
    );
    const link = 'SiteURL ConfirmationURL Email Token TokenHash RedirectTo Data';
    const change = 'SiteURL ConfirmationURL Email NewEmail SendingTo Token TokenHash RedirectTo Data';
    const notice = (more = '') => (more === '' ? 'SiteURL Email Data' : `SiteURL Email ${more} Data`);
    // If the user has a phone number, each notice contains the number.
    expect(seen).toEqual({
      signup: { subject: 'confirmation', filled: link },
      invite: { subject: 'invite', filled: link },
      recovery: { subject: 'recovery', filled: link },
      magiclink: { subject: 'magic_link', filled: link },
      reauthentication: { subject: 'reauthentication', filled: 'SiteURL Email Token Data' },
      password_changed_notification: { subject: 'password_changed', filled: notice() },
      identity_linked_notification: { subject: 'identity_linked', filled: notice('Phone Provider') },
      phone_changed_notification: { subject: 'phone_changed', filled: notice('Phone OldPhone') },
      identity_unlinked_notification: { subject: 'identity_unlinked', filled: notice('Provider') },
      mfa_factor_enrolled_notification: { subject: 'mfa_factor_enrolled', filled: notice('FactorType') },
      mfa_factor_unenrolled_notification: { subject: 'mfa_factor_unenrolled', filled: notice('FactorType') },
      email_change: { subject: 'email_change', filled: change },
      'email_change, to the old address': { subject: 'email_change', filled: change },
    });
  });
});

describe('send_email', () => {
  let server: AuthServer;
  beforeAll(async () => {
    server = await startAuth({
      ...settings,
      hook: { send_email: { enabled: true, uri: 'pg-functions://postgres/public/keep_mail' } },
      email: {
        enable_confirmations: true,
        notification: Object.fromEntries(
          notices.map((name) => [name, { enabled: true }]),
        ) as Email['notification'],
      },
    });
    await server.database.pool('supabase_admin').exec(`
      create table public.mails (id bigserial, event jsonb);
      create function public.keep_mail(event jsonb) returns jsonb language sql security definer as
        $$ insert into public.mails (event) values ($1); select '{}'::jsonb $$;`);
  });
  afterAll(() => server.stop());

  interface Event {
    readonly user: { readonly email: string };
    readonly email_data: Readonly<Record<string, string>>;
  }
  const newest = async () => {
    const [row] = await server.database
      .pool('supabase_admin')
      .query<{ event: Event }>(sql`select event from public.mails order by id desc limit 1`);
    return row?.event;
  };

  test('receives each email, with the variables of other kinds left empty', async () => {
    const seen: Record<string, unknown> = {};
    let change: Event | undefined;
    await goThroughAll(
      server,
      async (what) => {
        const event = await newest();
        const data = event?.email_data ?? {};
        expect(Object.keys(data).sort()).toEqual(
          [
            'token',
            'token_hash',
            'redirect_to',
            'email_action_type',
            'site_url',
            'token_new',
            'token_hash_new',
            'old_email',
            'old_phone',
            'provider',
            'factor_type',
          ].sort(),
        );
        expect([data.site_url, data.redirect_to]).toEqual([`${server.url}/auth/v1`, siteUrl]);
        const filled = Object.keys(data).filter((name) => data[name] !== '');
        seen[what] = [
          data.email_action_type,
          filled.filter((name) => !['site_url', 'redirect_to', 'email_action_type'].includes(name)).sort(),
        ];
        if (what === 'email_change') change = event;
      },
      async (to) => {
        const event = await newest();
        const json = { type: 'signup', email: to, token: event?.email_data.token };
        const response = await server.request('/verify', { json });
        const { access_token: token, user } = await response.json<{
          access_token: string;
          user: { id: string };
        }>();
        return { email: to, token, id: user.id };
      },
    );
    const code = ['token', 'token_hash'];
    const both = ['token', 'token_hash', 'token_hash_new', 'token_new'];
    expect(seen).toEqual({
      signup: ['signup', code],
      invite: ['invite', code],
      recovery: ['recovery', code],
      magiclink: ['magiclink', code],
      reauthentication: ['reauthentication', code],
      password_changed_notification: ['password_changed_notification', []],
      identity_linked_notification: ['identity_linked_notification', ['provider']],
      phone_changed_notification: ['phone_changed_notification', ['old_phone']],
      identity_unlinked_notification: ['identity_unlinked_notification', ['provider']],
      mfa_factor_enrolled_notification: ['mfa_factor_enrolled_notification', ['factor_type']],
      mfa_factor_unenrolled_notification: ['mfa_factor_unenrolled_notification', ['factor_type']],
      email_change: ['email_change', both],
      'email_change, to the old address': ['email_change', both],
    });

    // As in upstream, the values are swapped, so the token for the old address is sent with the hash for the new one.
    const { email_data: data, user } = change as Event;
    const verify = async (json: object) => {
      const response = await server.request('/verify', { json: { type: 'email_change', ...json } });
      const body = await response.json<{ code?: string; user?: { email: string } }>();
      return body.user?.email ?? body.code;
    };
    const next = (user as unknown as { new_email: string }).new_email;
    expect(await verify({ email: user.email, token: data.token_new })).toBe(403);
    expect(await verify({ email: user.email, token: data.token })).toBe('200');
    expect(await verify({ token_hash: data.token_hash_new })).toBe(403);
    expect(await verify({ token_hash: data.token_hash })).toBe(next);
    expect((await newest())?.email_data).toMatchObject({
      email_action_type: 'email_changed_notification',
      old_email: user.email,
    });
  });
});
