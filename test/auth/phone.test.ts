/** Tests phone numbers: sign-up, captured codes, numbers with a fixed code, and number changes. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type AuthServer, codeOf, newEmail, startAuth } from './harness.ts';

const password = 'correct horse';
let server: AuthServer;
beforeAll(async () => {
  server = await startAuth({ sms: { enable_signup: true, enable_confirmations: true, max_frequency: 0 } });
});
afterAll(() => server.stop());

let counter = 0;
const newPhone = () => `+1555${String(Date.now()).slice(-5)}${String(counter++).padStart(2, '0')}`;

test('sign-up sends a code, and only the code signs the user in', async () => {
  const phone = newPhone();
  const client = server.client();
  const { data, error } = await client.auth.signUp({ phone, password });
  expect(error).toBeNull();
  expect(data.session).toBeNull();
  expect((await client.auth.signInWithPassword({ phone, password })).error).toMatchObject({
    code: 'phone_not_confirmed',
  });
  const [message] = await server.inbox(phone.slice(1));
  expect(message).toMatchObject({ kind: 'sms', text: expect.stringMatching(/^Your code is \d{6}$/) });
  const verified = await client.auth.verifyOtp({ phone, token: codeOf(message), type: 'sms' });
  expect(verified.data.user).toMatchObject({
    phone: phone.slice(1),
    app_metadata: { provider: 'phone', providers: ['phone'] },
  });
  expect((await server.client().auth.signInWithPassword({ phone, password })).error).toBeNull();
});

test('users can sign up and in with only a code', async () => {
  const phone = newPhone();
  for (const round of ['up', 'in']) {
    const client = server.client();
    expect((await client.auth.signInWithOtp({ phone })).error).toBeNull();
    const [message] = await server.inbox(phone.slice(1));
    const { data } = await client.auth.verifyOtp({ phone, token: codeOf(message), type: 'sms' });
    expect([round, data.session?.user.phone]).toEqual([round, phone.slice(1)]);
  }
});

test('a number is changed after its code is entered', async () => {
  const phone = newPhone();
  const client = server.client();
  await client.auth.signUp({ email: newEmail(), password });
  const changed = await client.auth.updateUser({ phone });
  expect(changed.data.user).toMatchObject({ phone: '', new_phone: phone.slice(1) });
  const [message] = await server.inbox(phone.slice(1));
  const { data } = await client.auth.verifyOtp({ phone, token: codeOf(message), type: 'phone_change' });
  expect(data.user).toMatchObject({ phone: phone.slice(1), app_metadata: { providers: ['email', 'phone'] } });
});

test.each(['abc', '+0123', '123456789012345678'])('%s isn’t accepted as a phone number', async (phone) => {
  expect((await server.client().auth.signInWithOtp({ phone })).error).toMatchObject({
    status: 400,
    code: 'validation_failed',
  });
});

test('with test numbers but without a provider, only test numbers get codes', async () => {
  const own = await startAuth({ sms: { enable_signup: true, test_otp: { '15550001111': '123456' } } });
  try {
    const sent = await own.client().auth.signInWithOtp({ phone: '15550001111' });
    expect(sent).toMatchObject({ error: null, data: { messageId: 'test-otp' } });
    const { data } = await own
      .client()
      .auth.verifyOtp({ phone: '15550001111', token: '123456', type: 'sms' });
    expect(data.session).not.toBeNull();
    expect(await own.inbox('15550001111')).toHaveLength(0);
    expect((await own.client().auth.signInWithOtp({ phone: newPhone() })).error).toMatchObject({
      code: 'sms_send_failed',
    });
  } finally {
    await own.stop();
  }
});

test('phone numbers are rejected if they are disabled', async () => {
  const own = await startAuth();
  try {
    const { error } = await own.client().auth.signUp({ phone: newPhone(), password });
    expect(error).toMatchObject({ status: 400, code: 'phone_provider_disabled' });
  } finally {
    await own.stop();
  }
});
