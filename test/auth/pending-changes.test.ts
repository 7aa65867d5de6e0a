/** Tests how pending email and phone changes are canceled. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type AuthServer, codeOf, newEmail, startAuth } from './harness.ts';

const password = 'correct horse';
let server: AuthServer;
beforeAll(async () => {
  server = await startAuth({
    email: { enable_confirmations: true, max_frequency: 0 },
    sms: { enable_signup: true, enable_confirmations: true, max_frequency: 0 },
  });
});
afterAll(() => server.stop());

let numbers = 0;
const newPhone = () => `+1556${String(Date.now()).slice(-5)}${String(numbers++).padStart(2, '0')}`;

interface User {
  readonly email: string;
  readonly phone: string;
  readonly new_email?: string;
  readonly new_phone?: string;
}

async function newPerson(): Promise<{ email: string; token: string }> {
  const email = newEmail();
  await server.admin().auth.admin.createUser({ email, password, email_confirm: true });
  const response = await server.request('/token?grant_type=password', { json: { email, password } });
  return { email, token: (await response.json<{ access_token: string }>()).access_token };
}

const userOf = async (token: string) => (await server.request('/user', { token })).json<User>();
const change = (token: string, json: object) => server.request('/user', { method: 'PUT', token, json });
const cancel = (token: string, kind: string) => server.request(`/user/${kind}`, { method: 'DELETE', token });

describe('an address with a canceled change', () => {
  test('stays the same, and the codes and links that were sent no longer work', async () => {
    const { email, token } = await newPerson();
    const next = newEmail();
    await change(token, { email: next });
    expect((await userOf(token)).new_email).toBe(next);
    const sent = (await Promise.all([next, email].map((to) => server.inbox(to)))).map(([first]) => first);
    expect((await cancel(token, 'email_change')).status).toBe(204);
    expect(await userOf(token)).toMatchObject({ email });
    expect(await userOf(token)).not.toHaveProperty('new_email');
    for (const [index, to] of [next, email].entries()) {
      const json = { type: 'email_change', email: to, token: codeOf(sent[index]) };
      const refused = await server.request('/verify', { json });
      expect([refused.status, (await refused.json()).error_code]).toEqual([403, 'otp_expired']);
    }
    expect((await userOf(token)).email).toBe(email);
  });

  test('that was confirmed at one address must be confirmed at both again', async () => {
    const { email, token } = await newPerson();
    const next = newEmail();
    await change(token, { email: next });
    const verify = async (to: string) =>
      server.request('/verify', {
        json: { type: 'email_change', email: to, token: codeOf((await server.inbox(to))[0]) },
      });
    expect((await verify(next)).status).toBe(200);
    await cancel(token, 'email_change');
    await change(token, { email: next });
    // A single confirmation isn't sufficient, whichever address is confirmed first.
    expect(await (await verify(email)).json()).not.toHaveProperty('access_token');
    expect((await userOf(token)).email).toBe(email);
    expect(await (await verify(next)).json()).toHaveProperty('access_token');
  });

  test('doesn’t affect the user’s other codes', async () => {
    const { email, token } = await newPerson();
    await server.request('/recover', { json: { email } });
    const code = codeOf((await server.inbox(email))[0]);
    await cancel(token, 'email_change');
    const verified = await server.request('/verify', { json: { type: 'recovery', email, token: code } });
    expect(verified.status).toBe(200);
  });
});

test('a number with a canceled change stays the same', async () => {
  const { token } = await newPerson();
  const phone = newPhone();
  expect((await (await change(token, { phone })).json<User>()).new_phone).toBe(phone.slice(1));
  const code = codeOf((await server.inbox(phone.slice(1)))[0]);
  expect((await cancel(token, 'phone_change')).status).toBe(204);
  expect(await userOf(token)).not.toHaveProperty('new_phone');
  const refused = await server.request('/verify', { json: { type: 'phone_change', phone, token: code } });
  expect((await refused.json()).error_code).toBe('otp_expired');
});

test.each(['email_change', 'phone_change'])(
  '%s: without a pending change, the request does nothing',
  async (kind) => {
    const { token } = await newPerson();
    expect((await cancel(token, kind)).status).toBe(204);
  },
);

test.each(['email_change', 'phone_change'])('%s: a user can’t cancel another user’s change', async (kind) => {
  const { keys } = server;
  for (const token of [keys.publishableKey, keys.anonKey, 'x.y.z']) {
    const refused = await cancel(token, kind);
    expect([401, 403]).toContain(refused.status);
  }
});
