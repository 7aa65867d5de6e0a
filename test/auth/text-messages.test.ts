/**
 * Tests text messages through each provider. A local server simulates the provider and checks that requests match its
 * documentation.
 */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { createOutgoing } from '../../src/base/shared/network/outgoing.ts';
import type { PartialConfig } from '../../src/platform/config/index.ts';
import { type AuthServer, type AuthServerOptions, newEmail, startAuth } from './harness.ts';

const password = 'correct horse';

interface Sent {
  readonly path: string;
  readonly authorization: string | undefined;
  readonly form: Readonly<Record<string, string>>;
}

interface Answer {
  readonly status: number;
  readonly json: object;
}

const basic = (user: string, secret: string) => `Basic ${btoa(`${user}:${secret}`)}`;
const missing = (form: Sent['form'], names: readonly string[]) => names.find((name) => !form[name]);

/** The providers' simulated responses by host and path, including errors. */
const providers: Record<string, (sent: Sent) => Answer> = {
  'api.twilio.com/2010-04-01/Accounts/AC1/Messages.json': ({ authorization, form }) => {
    const more_info = 'https://www.twilio.com/docs/errors/20003';
    if (authorization !== basic('AC1', 'twilio secret'))
      return { status: 401, json: { code: 20003, message: 'Authenticate', more_info, status: 401 } };
    const lack = missing(form, ['To', 'From']);
    if (lack !== undefined || !(form.Body || form.ContentSid))
      return {
        status: 400,
        json: { code: 21604, message: `'${lack ?? 'Body'}' is required`, more_info, status: 400 },
      };
    return { status: 201, json: { sid: 'SM1', status: 'queued', error_code: null, error_message: null } };
  },
  'rest.messagebird.com/messages': ({ authorization, form }) => {
    if (authorization !== 'AccessKey bird key')
      return {
        status: 401,
        json: { errors: [{ code: 2, description: 'Request not allowed', parameter: 'access_key' }] },
      };
    const lack = missing(form, ['originator', 'body', 'recipients']);
    if (lack !== undefined)
      return {
        status: 422,
        json: { errors: [{ code: 9, description: `no (correct) ${lack} found`, parameter: lack }] },
      };
    return { status: 201, json: { id: 'b1', recipients: { totalCount: 1, totalSentCount: 1 } } };
  },
  'api.textlocal.in/send': ({ form }) => {
    if (form.apikey !== 'local key')
      return {
        status: 200,
        json: { status: 'failure', errors: [{ code: 3, message: 'Invalid login details' }] },
      };
    const lack = missing(form, ['sender', 'message', 'numbers']);
    if (lack !== undefined)
      return { status: 200, json: { status: 'failure', errors: [{ code: 6, message: `No ${lack}` }] } };
    return { status: 200, json: { status: 'success', messages: [{ id: 't1' }] } };
  },
  'rest.nexmo.com/sms/json': ({ form }) => {
    const fail = (status: string, text: string) => ({
      status: 200,
      json: { 'message-count': '1', messages: [{ status, 'error-text': text, 'message-id': 'v1' }] },
    });
    if (form.api_key !== 'von' || form.api_secret !== 'age') return fail('4', 'Bad Credentials');
    const lack = missing(form, ['from', 'to', 'text']);
    return lack === undefined ? fail('0', '') : fail('2', `Missing ${lack}`);
  },
  'verify.twilio.com/v2/Services/VA1/Verifications': ({ authorization, form }) => {
    if (authorization !== basic('AC1', 'verify secret'))
      return { status: 401, json: { message: 'Authenticate' } };
    if (missing(form, ['To', 'Channel'])) return { status: 400, json: { message: 'Invalid parameter' } };
    return {
      status: 201,
      json: { sid: 'VE1', to: form.To, channel: form.Channel, status: 'pending', valid: false },
    };
  },
  'verify.twilio.com/v2/Services/VA1/VerificationCheck': ({ authorization, form }) => {
    if (authorization !== basic('AC1', 'verify secret'))
      return { status: 401, json: { message: 'Authenticate' } };
    const isRight = form.Code === '246810';
    return { status: 200, json: { status: isRight ? 'approved' : 'pending', valid: isRight } };
  },
};

let sent: Sent[] = [];
let playedBy: Server;
let options: AuthServerOptions;

beforeAll(async () => {
  playedBy = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    const path = (request.url ?? '').slice(1);
    const isForm = request.headers['content-type'] === 'application/x-www-form-urlencoded';
    const form = Object.fromEntries(new URLSearchParams(Buffer.concat(chunks).toString()));
    const one = { path, authorization: request.headers.authorization, form };
    sent.push(one);
    const { status, json } = (request.method === 'POST' && isForm && providers[path]?.(one)) || {
      status: 404,
      json: {},
    };
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(json));
  });
  await new Promise<void>((resolve) => playedBy.listen(0, '127.0.0.1', resolve));
  const { port } = playedBy.address() as AddressInfo;
  const outgoing = createOutgoing({ mode: 'development' });
  options = {
    outgoing: {
      ...outgoing,
      send: (request) => {
        const { host, pathname, protocol } = new URL(request.url);
        expect(protocol).toBe('https:');
        return outgoing.send({ ...request, url: `http://127.0.0.1:${port}/${host}${pathname}` });
      },
    },
  };
});
afterAll(() => {
  playedBy.close();
  playedBy.closeAllConnections();
});
afterEach(() => {
  sent = [];
});

let counter = 0;
const newPhone = () => `1555${String(Date.now()).slice(-5)}${String(counter++).padStart(2, '0')}`;

type Sms = NonNullable<NonNullable<PartialConfig['auth']>['sms']>;

async function withServer(sms: Sms, work: (server: AuthServer) => Promise<void>): Promise<void> {
  const server = await startAuth(
    { sms: { enable_signup: true, enable_confirmations: true, max_frequency: 0, ...sms } },
    options,
  );
  try {
    await work(server);
  } finally {
    await server.stop();
  }
}

const accounts = {
  twilio: { account_sid: 'AC1', auth_token: 'twilio secret', message_service_sid: 'MG1' },
  messagebird: { originator: 'Plinth', access_key: 'bird key' },
  textlocal: { sender: 'Plinth', api_key: 'local key' },
  vonage: { from: 'Plinth', api_key: 'von', api_secret: 'age' },
} as const;

describe.each([
  ['twilio', 'Body', 'Authenticate More information: https://www.twilio.com/docs/errors/20003'],
  ['messagebird', 'body', 'Request not allowed'],
  ['textlocal', 'message', 'textlocal error: Invalid login details (code: 3) message '],
  ['vonage', 'text', 'vonage error: Bad Credentials (status: 4) for message v1'],
] as const)('%s', (name, field, refusal) => {
  test('sends the code, which signs the user in', async () => {
    await withServer(
      { [name]: { enabled: true, ...accounts[name] }, template: 'Ihr Code für Plinth: {{ .Code }}' },
      async (server) => {
        const phone = newPhone();
        const client = server.client();
        expect((await client.auth.signInWithOtp({ phone })).error).toBeNull();
        expect(await server.inbox(phone)).toEqual([]);
        const text = sent[0]?.form[field] ?? '';
        expect(text).toMatch(/^Ihr Code für Plinth: \d{6}$/);
        const token = text.slice(-6);
        expect((await client.auth.verifyOtp({ phone, token, type: 'sms' })).data.user?.phone).toBe(phone);
      },
    );
  });

  test('returns the provider’s message if it rejects the account, and no user is created', async () => {
    const wrong = { ...accounts[name], auth_token: 'x', access_key: 'x', api_key: 'x', enabled: true };
    await withServer({ [name]: wrong }, async (server) => {
      const phone = newPhone();
      const { error } = await server.client().auth.signUp({ phone, password });
      expect(error).toMatchObject({
        status: 422,
        code: 'sms_send_failed',
        message: `Error sending confirmation OTP to provider: ${refusal}`,
      });
      const { data } = await server.admin().auth.admin.listUsers();
      expect(data.users).toEqual([]);
    });
  });
});

test('WhatsApp is available only with Twilio', async () => {
  await withServer({ twilio: { enabled: true, ...accounts.twilio } }, async (server) => {
    const phone = newPhone();
    expect(
      (await server.client().auth.signInWithOtp({ phone, options: { channel: 'whatsapp' } })).error,
    ).toBeNull();
    expect(sent[0]?.form).toMatchObject({ To: `whatsapp:+${phone}`, From: 'MG1', Channel: 'whatsapp' });
  });
  await withServer({ vonage: { enabled: true, ...accounts.vonage } }, async (server) => {
    const refused = await server
      .client()
      .auth.signInWithOtp({ phone: newPhone(), options: { channel: 'whatsapp' } });
    expect(refused.error).toMatchObject({ status: 400, code: 'validation_failed' });
  });
});

test('an unreachable provider is reported without a delay', async () => {
  const broken = {
    outgoing: {
      ...createOutgoing({ mode: 'development' }),
      send: () => Promise.reject(new Error('no route')),
    },
  };
  const server = await startAuth(
    {
      sms: { enable_signup: true, enable_confirmations: true, twilio: { enabled: true, ...accounts.twilio } },
    },
    broken,
  );
  try {
    expect((await server.client().auth.signInWithOtp({ phone: newPhone() })).error).toMatchObject({
      code: 'sms_send_failed',
      message: 'Error sending confirmation OTP to provider: no route',
    });
  } finally {
    await server.stop();
  }
});

describe('Twilio Verify generates and checks the codes', () => {
  let server: AuthServer;
  beforeAll(async () => {
    server = await startAuth(
      {
        sms: {
          enable_signup: true,
          enable_confirmations: true,
          max_frequency: 0,
          test_otp: { '15550001111': '123456' },
          twilio_verify: {
            enabled: true,
            account_sid: 'AC1',
            auth_token: 'verify secret',
            message_service_sid: 'VA1',
          },
        },
        email: { secure_password_change: true },
        mfa: { phone: { enroll_enabled: true, verify_enabled: true, max_frequency: 0 } },
      },
      options,
    );
  });
  afterAll(() => server.stop());
  const right = '246810';
  const checks = () => sent.filter(({ path }) => path.endsWith('VerificationCheck')).map(({ form }) => form);

  test('for a sign-in, for which only the right code works', async () => {
    const phone = newPhone();
    const client = server.client();
    expect((await client.auth.signInWithOtp({ phone, options: { channel: 'whatsapp' } })).error).toBeNull();
    expect(sent[0]?.form).toEqual({ To: `+${phone}`, Channel: 'whatsapp' });
    expect((await client.auth.verifyOtp({ phone, token: '000000', type: 'sms' })).error).toMatchObject({
      status: 403,
      code: 'otp_expired',
      message: 'Token has expired or is invalid',
    });
    const { data } = await client.auth.verifyOtp({ phone, token: right, type: 'sms' });
    expect(data.user?.phone).toBe(phone);
    expect(checks()).toEqual([
      { To: `+${phone}`, Code: '000000' },
      { To: `+${phone}`, Code: right },
    ]);
  });

  test('but not for numbers with a fixed code', async () => {
    const phone = '15550001111';
    const client = server.client();
    await client.auth.signInWithOtp({ phone });
    expect(
      (await client.auth.verifyOtp({ phone, token: '123456', type: 'sms' })).data.session,
    ).not.toBeNull();
    expect(sent).toEqual([]);
  });

  test('for a phone number change', async () => {
    const phone = newPhone();
    const client = server.client();
    await client.auth.signUp({ email: newEmail(), password });
    await client.auth.updateUser({ phone });
    expect((await client.auth.verifyOtp({ phone, token: '1', type: 'phone_change' })).error).toMatchObject({
      code: 'otp_expired',
    });
    const { data } = await client.auth.verifyOtp({ phone, token: right, type: 'phone_change' });
    expect(data.user?.phone).toBe(phone);
  });

  test('for a second factor', async () => {
    const phone = newPhone();
    const client = server.client();
    await client.auth.signUp({ email: newEmail(), password });
    const enrolled = await client.auth.mfa.enroll({ factorType: 'phone', phone: `+${phone}` });
    const factorId = enrolled.data?.id ?? '';
    const { data: challenge } = await client.auth.mfa.challenge({ factorId });
    const challengeId = challenge?.id ?? '';
    expect(sent[0]?.form).toEqual({ To: `+${phone}`, Channel: 'sms' });
    expect((await client.auth.mfa.verify({ factorId, challengeId, code: '000000' })).error).toMatchObject({
      status: 403,
      code: 'otp_expired',
    });
    expect((await client.auth.mfa.verify({ factorId, challengeId, code: right })).error).toBeNull();
  });

  test('for the nonce of a password change', async () => {
    const phone = newPhone();
    const client = server.client();
    await client.auth.signInWithOtp({ phone });
    await client.auth.verifyOtp({ phone, token: right, type: 'sms' });
    const { data } = await client.auth.getSession();
    const token = data.session?.access_token ?? '';
    await server.database
      .pool('supabase_admin')
      .exec(`update auth.sessions set created_at = now() - interval '2 days'`);
    const change = (json: object) => server.request('/user', { method: 'PUT', token, json });
    expect((await (await change({ password: 'another one', nonce: right })).json()).error_code).toBe(
      'reauthentication_not_valid',
    );
    expect((await server.request('/reauthenticate', { token })).status).toBe(200);
    const refused = await change({ password: 'another one', nonce: '000000' });
    expect([refused.status, (await refused.json()).error_code]).toEqual([403, 'otp_expired']);
    expect((await change({ password: 'another one', nonce: right })).status).toBe(200);
  });
});
