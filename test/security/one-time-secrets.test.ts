/**
 * Tests that each code, link and challenge that works once also works once if it is sent twice at the same time. The
 * requests collide: while they are checked, a transaction holds the row that they need.
 */
import { generateKeyPairSync } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sql } from '../../src/base/kernel/sql.ts';
import { currentStep, totpCode } from '../../src/base/shared/one-time-codes.ts';
import { type CreationOptions, type RequestOptions, SoftwareAuthenticator } from '../auth/authenticator.ts';
import { type AuthServer, codeOf, linkOf, newEmail, startAuth } from '../auth/harness.ts';
import {
  approve,
  authorizationId,
  token as oauthToken,
  pkce,
  register,
} from '../auth/oauth-server/client.ts';
import { buildAnswer, createIdp, postAnswer, readRequest, signAnswer } from '../auth/saml-idp.ts';
import { createInternet, type Internet } from '../auth/social/internet.ts';
import { comeBack, leave, serveGithub } from '../auth/social/sign-in.ts';
import { ethereumWallet } from '../auth/wallet-keys.ts';
import {
  type Backend,
  linkToken,
  type Operator,
  operator,
  signIn,
  startBackend,
} from '../console/harness.ts';

const password = 'correct horse';
const site = 'https://app.example';
const sms = { enable_signup: true, enable_confirmations: true, max_frequency: 0 };

let auth: AuthServer;
let internet: Internet;
beforeAll(async () => {
  internet = await createInternet();
  const samlKey = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
  const both = { enroll_enabled: true, verify_enabled: true };
  auth = await startAuth(
    {
      site_url: site,
      email: { double_confirm_changes: true, enable_confirmations: true, secure_password_change: true },
      sms,
      mfa: { totp: both, phone: both, web_authn: both },
      passkey: { enabled: true },
      webauthn: { rp_id: 'app.example', rp_display_name: 'Example', rp_origins: [site] },
      oauth_server: { enabled: true, allow_dynamic_registration: true },
      external: { github: { enabled: true, client_id: 'client', secret: 'secret' } },
      web3: { ethereum: { enabled: true } },
    },
    {
      servesAccount: true,
      outgoing: internet.outgoing,
      plinth: {
        auth: {
          saml: {
            enabled: true,
            private_key: samlKey.export({ type: 'pkcs1', format: 'der' }).toString('base64'),
          },
          security: { notices: 'always', factor_removal_wait: 72 * 3_600_000 },
        },
      },
    },
  );
});
afterAll(async () => {
  await auth?.stop();
  await internet?.stop();
});

const run = <T extends object>(statement: ReturnType<typeof sql>): Promise<T[]> =>
  auth.database.pool('supabase_admin').query<T>(statement);

/** Sends the requests while a transaction holds the user's row. Returns the number of requests that succeeded. */
async function collide(
  { database }: Pick<AuthServer, 'database'>,
  row: ReturnType<typeof sql>,
  requests: readonly (() => Promise<boolean>)[],
): Promise<number> {
  const admin = database.pool('supabase_admin');
  const { sent } = await admin.transaction(async (tx) => {
    await tx.query(sql`select from ${row} for update`);
    let answered = 0;
    const all = requests.map(async (request) => {
      try {
        return await request();
      } finally {
        answered += 1;
      }
    });
    const isSettled = async () => {
      const waiting = await admin.query(sql`
        select 1 from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'`);
      return answered + waiting.length >= requests.length;
    };
    await expect.poll(isSettled, { timeout: 20_000 }).toBe(true);
    return { sent: Promise.all(all) };
  });
  return (await sent).filter(Boolean).length;
}

interface Person {
  readonly id: string;
  readonly email: string;
  readonly token: string;
}

async function newPerson(): Promise<Person> {
  const email = newEmail();
  await auth.admin().auth.admin.createUser({ email, password, email_confirm: true });
  return { email, ...(await enter({ email })) };
}

async function enter(contact: object): Promise<{ id: string; token: string }> {
  const response = await auth.request('/token?grant_type=password', { json: { ...contact, password } });
  const session = await response.json<{ access_token: string; user: { id: string } }>();
  return { id: session.user.id, token: session.access_token };
}

let numbers = 0;
const newPhone = () => `1555${String(Date.now()).slice(-5)}${String(numbers++).padStart(2, '0')}`;

const isOk = async (response: Promise<{ readonly status: number }>) => (await response).status === 200;

/** Sends a request to /auth/v1 and returns whether the request succeeded. */
const post = (path: string, json: object, token?: string) => () =>
  isOk(auth.request(path, { json, ...(token === undefined ? {} : { token }) }));

const newest = async (to: string) => (await auth.inbox(to))[0];

/** Opens a link in an email. A link that works redirects the browser with a session, a code or a message. */
const opens = (link: string) => async () => {
  const { pathname, search } = new URL(link);
  const response = await auth.request(`${pathname.replace('/auth/v1', '')}${search}`);
  return !/[?&#]error/.test(response.headers.get('location') ?? 'error=1#error');
};

/** Presses the button on an Account page. */
async function presses(path: string, token: string): Promise<() => Promise<boolean>> {
  const page = await fetch(`${auth.url}/account/cancel-change?token=${'0'.repeat(56)}`);
  const cookie = page.headers.getSetCookie().map((one) => one.split(';', 1)[0]);
  const mark = /name="mark" value="([^"]+)"/.exec(await page.text())?.[1] ?? '';
  return async () => {
    const response = await fetch(`${auth.url}/account/${path}`, {
      method: 'POST',
      redirect: 'manual',
      headers: { cookie: cookie.join('; '), origin: auth.url },
      body: new URLSearchParams({ mark, token }),
    });
    return response.status === 303;
  };
}

async function tokenInLink(email: string, path: string): Promise<string> {
  const find = async () =>
    new RegExp(`http\\S+/account/${path}\\?token=(\\S+)`).exec(
      (await auth.inbox(email)).map(({ text }) => text).join('\n'),
    )?.[1];
  await expect.poll(find, { timeout: 10_000 }).toBeDefined();
  return (await find()) ?? '';
}

async function enroll(token: string, json: object) {
  const response = await auth.request('/factors', { token, json });
  return response.json<{ id: string; totp: { secret: string } }>();
}

async function challenge<T = object>(token: string, factorId: string): Promise<T & { id: string }> {
  const response = await auth.request(`/factors/${factorId}/challenge`, { token, json: {} });
  return response.json<T & { id: string }>();
}

/** Makes a verified authenticator app and returns a token at aal2. */
async function withFactor(person: Person): Promise<string> {
  const { id, totp } = await enroll(person.token, { factor_type: 'totp' });
  const json = {
    challenge_id: (await challenge(person.token, id)).id,
    code: totpCode(totp.secret, currentStep(auth.clock.now()) - 1),
  };
  const response = await auth.request(`/factors/${id}/verify`, { token: person.token, json });
  return (await response.json<{ access_token: string }>()).access_token;
}

async function changeEmail(person: Person): Promise<readonly [string, string]> {
  const next = newEmail();
  await auth.request('/user', { method: 'PUT', token: person.token, json: { email: next } });
  return [person.email, next];
}

const verifiesChange = async (email: string) =>
  post('/verify', { type: 'email_change', email, token: codeOf(await newest(email)) });

interface PasskeyQuestion {
  readonly challenge_id: string;
  readonly options: CreationOptions & RequestOptions;
}

async function askKey(path: string, token?: string): Promise<PasskeyQuestion> {
  const response = await auth.request(path, { json: {}, ...(token === undefined ? {} : { token }) });
  return response.json<PasskeyQuestion>();
}

interface Prepared {
  /** The user whose row is held while the requests are checked. */
  readonly id: string;
  readonly requests: readonly (() => Promise<boolean>)[];
}

const twice = (id: string, request: () => Promise<boolean>): Prepared => ({
  id,
  requests: [request, request],
});

const newPassword = (token: string, nonce: string) => () =>
  isOk(
    auth.request('/user', { method: 'PUT', token, json: { password: `new ${crypto.randomUUID()}`, nonce } }),
  );

const secrets: Readonly<Record<string, () => Promise<Prepared>>> = {
  'reauthentication nonce by email': async () => {
    const { id, email, token } = await newPerson();
    await run(sql`update auth.sessions set created_at = now() - interval '2 days' where user_id = ${id}`);
    await auth.request('/reauthenticate', { token });
    return twice(id, newPassword(token, codeOf(await newest(email))));
  },
  'reauthentication nonce by text message': async () => {
    const phone = newPhone();
    await auth.admin().auth.admin.createUser({ phone, password, phone_confirm: true });
    const { id, token } = await enter({ phone });
    await run(sql`update auth.sessions set created_at = now() - interval '2 days' where user_id = ${id}`);
    await auth.request('/reauthenticate', { token });
    return twice(id, newPassword(token, codeOf(await newest(phone))));
  },
  'sign-up code': async () => {
    const email = newEmail();
    const { id } = await (await auth.request('/signup', { json: { email, password } })).json<{
      id: string;
    }>();
    return twice(id, post('/verify', { type: 'signup', email, token: codeOf(await newest(email)) }));
  },
  'sign-up link': async () => {
    const email = newEmail();
    const { id } = await (await auth.request('/signup', { json: { email, password } })).json<{
      id: string;
    }>();
    return twice(id, opens(linkOf(await newest(email))));
  },
  'invitation link': async () => {
    const email = newEmail();
    const { data } = await auth.admin().auth.admin.inviteUserByEmail(email);
    return twice(data.user?.id ?? '', opens(linkOf(await newest(email))));
  },
  'invitation accepted through a provider': async () => {
    const email = newEmail();
    const { data } = await auth.admin().auth.admin.inviteUserByEmail(email);
    const invite_token = new URL(linkOf(await newest(email))).searchParams.get('token') ?? '';
    const states = [
      await leave(auth, 'github', { invite_token }),
      await leave(auth, 'github', { invite_token }),
    ];
    serveGithub(internet, [{ email, verified: true, primary: true }]);
    // The second browser is signed in to another account at the provider.
    let account = 5_000_000;
    const github = { login: 'octocat', name: 'Octocat', email: null };
    internet.serve('api.github.com/user', () => ({ ...github, id: account++ }));
    const requests = states.map(
      ({ state }) =>
        async () =>
          'access_token' in (await comeBack(auth, { code: 'good-code', state })).fragment,
    );
    return { id: data.user?.id ?? '', requests };
  },
  'recovery code by email': async () => {
    const { id, email } = await newPerson();
    await auth.request('/recover', { json: { email } });
    return twice(id, post('/verify', { type: 'recovery', email, token: codeOf(await newest(email)) }));
  },
  'sign-in link with PKCE': async () => {
    const { id, email } = await newPerson();
    const json = { email, code_challenge: pkce().challenge, code_challenge_method: 's256' };
    await auth.request('/otp', { json });
    return twice(id, opens(linkOf(await newest(email))));
  },
  'PKCE code': async () => {
    const { id, email } = await newPerson();
    const { verifier, challenge: code_challenge } = pkce();
    await auth.request('/otp', { json: { email, code_challenge, code_challenge_method: 's256' } });
    const { pathname, search } = new URL(linkOf(await newest(email)));
    const opened = await auth.request(`${pathname.replace('/auth/v1', '')}${search}`);
    const auth_code = new URL(opened.headers.get('location') ?? '').searchParams.get('code');
    return twice(id, post('/token?grant_type=pkce', { auth_code, code_verifier: verifier }));
  },
  'code of the Account pages for an app': async () => {
    const { id, token } = await newPerson();
    const { verifier, challenge: codeChallenge } = pkce();
    const redirectTo = `${site}/`;
    const request = { accessToken: token, codeChallenge, codeChallengeMethod: 's256', redirectTo } as const;
    const auth_code = await auth.issueCode(request);
    return twice(id, post('/token?grant_type=pkce', { auth_code, code_verifier: verifier }));
  },
  'first code of an email change': async () => {
    const person = await newPerson();
    const [current] = await changeEmail(person);
    return twice(person.id, await verifiesChange(current));
  },
  'second code of an email change': async () => {
    const person = await newPerson();
    const [current, next] = await changeEmail(person);
    expect(await (await verifiesChange(current))()).toBe(true);
    return twice(person.id, await verifiesChange(next));
  },
  'link that cancels an email change': async () => {
    const person = await newPerson();
    await changeEmail(person);
    return twice(person.id, await presses('cancel-change', await tokenInLink(person.email, 'cancel-change')));
  },
  'code by text message': async () => {
    const phone = newPhone();
    const { data } = await auth.admin().auth.admin.createUser({ phone, phone_confirm: true });
    await auth.request('/otp', { json: { phone } });
    const token = codeOf(await newest(phone));
    return twice(data.user?.id ?? '', post('/verify', { type: 'sms', phone, token }));
  },
  'code of a phone change': async () => {
    const phone = newPhone();
    const { id, token } = await newPerson();
    await auth.request('/user', { method: 'PUT', token, json: { phone } });
    const code = codeOf(await newest(phone));
    return twice(id, post('/verify', { type: 'phone_change', phone, token: code }));
  },
  'code of an authenticator app': async () => {
    const { id: userId, token } = await newPerson();
    const { id, totp } = await enroll(token, { factor_type: 'totp' });
    const ids = [await challenge(token, id), await challenge(token, id)].map((one) => one.id);
    const code = totpCode(totp.secret, currentStep(auth.clock.now()));
    const requests = ids.map((challenge_id) => post(`/factors/${id}/verify`, { challenge_id, code }, token));
    return { id: userId, requests };
  },
  'challenge of a phone': async () => {
    const phone = newPhone();
    const { id: userId, token } = await newPerson();
    const { id } = await enroll(token, { factor_type: 'phone', phone });
    const { id: challenge_id } = await challenge(token, id);
    const code = codeOf(await newest(phone));
    return twice(userId, post(`/factors/${id}/verify`, { challenge_id, code }, token));
  },
  'challenge of a security key': async () => {
    const { id: userId, token } = await newPerson();
    const { id } = await enroll(token, { factor_type: 'webauthn', friendly_name: 'key' });
    const asked = await challenge<{
      webauthn: { credential_options: { publicKey: CreationOptions } };
    }>(token, id);
    const { publicKey } = asked.webauthn.credential_options;
    const credential_response = new SoftwareAuthenticator(site).create(publicKey);
    const webauthn = { type: 'create', rpId: 'app.example', credential_response };
    return twice(userId, post(`/factors/${id}/verify`, { challenge_id: asked.id, webauthn }, token));
  },
  'recovery code': async () => {
    const person = await newPerson();
    const strong = await withFactor(person);
    const response = await auth.request('/factors/recovery-codes', { method: 'POST', token: strong });
    const { codes } = await response.json<{ codes: string[] }>();
    const json = { code: codes[0] };
    return twice(person.id, post('/factors/recovery-codes/verify', json, (await enter(person)).token));
  },
  'challenge of a new passkey': async () => {
    const { id, token } = await newPerson();
    const { challenge_id, options } = await askKey('/passkeys/registration/options', token);
    const json = { challenge_id, credential: new SoftwareAuthenticator(site).create(options) };
    return twice(id, post('/passkeys/registration/verify', json, token));
  },
  'challenge of a sign-in with a passkey': async () => {
    const { id, token } = await newPerson();
    const key = new SoftwareAuthenticator(site);
    const first = await askKey('/passkeys/registration/options', token);
    const added = { challenge_id: first.challenge_id, credential: key.create(first.options) };
    expect(await post('/passkeys/registration/verify', added, token)()).toBe(true);
    const { challenge_id, options } = await askKey('/passkeys/authentication/options');
    // The counter of the second response is higher, so only the challenge distinguishes a copied response.
    const requests = [0, 1].map(() =>
      post('/passkeys/authentication/verify', { challenge_id, credential: key.get(options) }),
    );
    return { id, requests };
  },
  'authorization code of an OAuth client': async () => {
    const person = await newPerson();
    const client = await register(auth, { token_endpoint_auth_method: 'none' });
    const { verifier, challenge: codeChallenge } = pkce();
    const id = await authorizationId(auth, client.client_id, codeChallenge);
    const code = await approve(auth, id, person.token);
    const form = { grant_type: 'authorization_code', code, code_verifier: verifier };
    return twice(person.id, () => isOk(oauthToken(auth, { ...form, client_id: client.client_id })));
  },
  'state of a sign-in with a provider': async () => {
    const { id, email } = await newPerson();
    serveGithub(internet, [{ email, verified: true, primary: true }]);
    const { state } = await leave(auth, 'github');
    return twice(
      id,
      async () => 'access_token' in (await comeBack(auth, { code: 'good-code', state })).fragment,
    );
  },
  'SAML response': async () => {
    const idp = createIdp();
    const domain = `${crypto.randomUUID()}.example`;
    const provider = { type: 'saml', metadata_xml: idp.metadata(), domains: [domain] };
    await auth.request('/admin/sso/providers', { token: auth.keys.serviceRoleKey, json: provider });
    const respond = async () => {
      const { data } = await auth.client().auth.signInWithSSO({ domain });
      const { id, relayState } = readRequest(data?.url ?? '');
      const xml = buildAnswer({
        acs: `${auth.url}/auth/v1/sso/saml/acs`,
        audience: `${auth.url}/auth/v1/sso/saml/metadata`,
        issuer: idp.entityId,
        inResponseTo: id,
        email: `grace@${domain}`,
      });
      const signed = signAnswer(idp, xml, 'Assertion');
      return async () => 'access_token' in (await postAnswer(auth, signed, relayState)).fragment;
    };
    expect(await (await respond())()).toBe(true);
    const [user] = await run<{ id: string }>(
      sql`select id from auth.users where email = ${`grace@${domain}`}`,
    );
    return twice(user?.id ?? '', await respond());
  },
  'message of a wallet': async () => {
    const wallet = ethereumWallet();
    const messageOf = () =>
      [
        'app.example wants you to sign in with your Ethereum account:',
        wallet.address,
        '',
        'Hello',
        '',
        `URI: ${site}/`,
        'Version: 1',
        'Chain ID: 1',
        `Nonce: ${crypto.randomUUID().replaceAll('-', '')}`,
        `Issued At: ${new Date().toISOString()}`,
      ].join('\n');
    const send = (message: string) =>
      auth.request('/token?grant_type=web3', {
        json: { chain: wallet.chain, message, signature: wallet.sign(message) },
      });
    const { user } = await (await send(messageOf())).json<{ user: { id: string } }>();
    const message = messageOf();
    return twice(user.id, () => isOk(send(message)));
  },
  'link that undoes a change': async () => {
    const person = await newPerson();
    await auth.request('/user', { method: 'PUT', token: person.token, json: { password: 'another horse' } });
    return twice(person.id, await presses('not-me', await tokenInLink(person.email, 'not-me')));
  },
  'link that unlocks an account': async () => {
    const { id } = await newPerson();
    const token = Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('base64url');
    await run(sql`
      with locked as (
        insert into _plinth.security_events (id, user_id, kind, actor, details, created_at)
        values (gen_random_uuid(), ${id}, 'locked', 'user', '{}', now()) returning id)
      insert into _plinth.event_reversals (hash, event_id, expires_at)
      select encode(sha256(${token}::bytea), 'hex'), id, now() + interval '1 hour' from locked`);
    return twice(id, await presses('unlock', token));
  },
};

test.each(Object.entries(secrets))('%s', { timeout: 30_000 }, async (_, prepare) => {
  const { id, requests } = await prepare();
  expect(await collide(auth, sql`auth.users where id = ${id}`, requests)).toBe(1);
});

test('a test code confirms a phone change once, and the number is kept', { timeout: 30_000 }, async () => {
  const phone = '15550001111';
  const own = await startAuth({ sms: { ...sms, test_otp: { [phone]: '123456' } } });
  try {
    const { data } = await own.client().auth.signUp({ email: newEmail(), password });
    const id = data.user?.id ?? '';
    const change = { method: 'PUT', token: data.session?.access_token ?? '', json: { phone } };
    expect((await own.request('/user', change)).status).toBe(200);
    const json = { type: 'phone_change', phone, token: '123456' };
    const verify = () => isOk(own.request('/verify', { json }));
    expect(await collide(own, sql`auth.users where id = ${id}`, [verify, verify])).toBe(1);
    expect((await own.admin().auth.admin.getUserById(id)).data.user?.phone).toBe(phone);
  } finally {
    await own.stop();
  }
});

test('a link that confirms the removal of factors starts one removal', { timeout: 30_000 }, async () => {
  const person = await newPerson();
  await withFactor(person);
  const token = Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('base64url');
  await run(sql`
    insert into _plinth.factor_removals (user_id, hash, requested_at)
    values (${person.id}, encode(sha256(${token}::bytea), 'hex'), now())`);
  const press = await presses('remove-factors', token);
  await collide(auth, sql`_plinth.factor_removals where user_id = ${person.id}`, [press, press]);
  const started = await run(sql`
    select from _plinth.security_events where user_id = ${person.id} and kind = 'factor_removal_requested'`);
  expect(started).toHaveLength(1);
});

describe('in the Console', () => {
  let backend: Backend;
  beforeAll(async () => {
    backend = await startBackend();
  });
  afterAll(() => backend?.stop());

  const begin = async (): Promise<{ person: Operator; name: string; secret: string }> => {
    const name = `op-${crypto.randomUUID()}`;
    await backend.operators.createOperator(name, 'developer');
    const person = await operator(backend, name);
    const { body } = await person.call('POST', '/factor');
    return { person, name, secret: body.secret };
  };
  const step = () => Math.floor(Date.now() / 30_000);
  const confirm = (person: Operator, code: string | undefined) => () =>
    isOk(person.call('POST', '/factor/confirm', { code }));
  const prove = (person: Operator, code: string | undefined) => () =>
    isOk(person.call('POST', '/factor/prove', { code }));
  const collideFor = (name: string, requests: readonly (() => Promise<boolean>)[]) =>
    collide(backend, sql`_plinth.operators where name = ${name}`, requests);

  test('a sign-in link', async () => {
    const token = await linkToken(backend);
    const enter = () => isOk(signIn(backend, token));
    expect(await collideFor('owner', [enter, enter])).toBe(1);
  });

  test('a new authenticator app is confirmed once, even with two valid codes', async () => {
    const { person, name, secret } = await begin();
    const codes = [totpCode(secret, step() - 1), totpCode(secret, step())];
    const requests = codes.map((code) => confirm(person, code));
    expect(await collideFor(name, requests)).toBe(1);
  });

  test('an authenticator code and a recovery code', async () => {
    const { person, name, secret } = await begin();
    const confirmed = await person.call('POST', '/factor/confirm', { code: totpCode(secret, step() - 1) });
    const codes = [totpCode(secret, step()), confirmed.body.recoveryCodes[0]];
    for (const code of codes) {
      const browsers = [await operator(backend, name), await operator(backend, name)];
      const requests = browsers.map((each) => prove(each, code));
      expect(await collideFor(name, requests)).toBe(1);
    }
  });
});
