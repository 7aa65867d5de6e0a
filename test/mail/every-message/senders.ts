/** Defines the actions of users, operators and the server that make Plinth send each email. */
import { createHash } from 'node:crypto';
import { sql } from '../../../src/base/kernel/sql.ts';
import { totp } from '../../account/harness.ts';
import { SoftwareAuthenticator } from '../../auth/authenticator.ts';
import { serveGithub } from '../../auth/social/sign-in.ts';
import { type Language, type Message, type Person, password, type Stage } from './stage.ts';

/** An email that was sent, and its expected values. */
export interface Sent {
  readonly message: Message;
  /** The email address of the account. */
  readonly email: string;
  readonly names?: Readonly<Record<string, string>>;
}

export type Sender = (stage: Stage, language: Language) => Promise<Sent>;

export const codeIn = ({ text }: Message): string => /(?<!\d)\d{6}(?!\d)/.exec(text)?.[0] ?? '';
const linkTo = ({ text }: Message, page: string): string =>
  new RegExp(`http\\S+/account/${page}\\?token=\\S+`).exec(text)?.[0] ?? '';

/**
 * Returns a pattern for the email's subject. The pattern is needed to select the email about the change, because a
 * notice about a new device can arrive at any time.
 */
const subject = (en: RegExp, ar: RegExp, language: Language): RegExp => (language === 'en' ? en : ar);

/** Sends a request for a new address, and returns the email. */
const toNewAddress =
  (path: string, more: object, isAdmin = false): Sender =>
  async (stage, language) => {
    const email = stage.newEmail();
    await stage.auth(language, path, { json: { email, ...more }, isAdmin });
    return { message: await stage.received(email), email };
  };

/** Sends a request for the address of an existing account, and returns the email. */
const toAccount =
  (path: string, more: object): Sender =>
  async (stage, language) => {
    const { email } = await stage.person(language);
    await stage.auth(language, path, { json: { email, ...more } });
    return { message: await stage.received(email), email };
  };

export const signUp = toNewAddress('/signup', { password });
export const invite = toNewAddress('/invite', {}, true);
export const inviteToOrganization: Sender = async (stage, language) => {
  const owner = await stage.person(language);
  const created = await stage.backend.fetch('/rest/v1/rpc/create_organization', {
    method: 'POST',
    headers: {
      apikey: stage.backend.keys.publishableKey,
      authorization: `Bearer ${owner.token}`,
      'content-type': 'application/json',
    },
    body: JSON.stringify({ name: 'Analytical Engines' }),
  });
  const { id } = (await created.json()) as { id: string };
  const email = stage.newEmail();
  const invited = await stage.auth<{ expires_at: string }>(language, '/organizations/invitations', {
    token: owner.token,
    json: { organization_id: id, email },
  });
  const due = new Intl.DateTimeFormat(`${language}-u-nu-latn`, {
    dateStyle: 'long',
    timeStyle: 'short',
    timeZone: 'UTC',
    hourCycle: 'h23',
  }).format(Date.parse(invited.expires_at));
  return { message: await stage.received(email), email, names: { inviter: owner.email, due } };
};
export const recover = toAccount('/recover', {});
export const requestCode = toAccount('/otp', { create_user: false });
export const recoverUnknown = toNewAddress('/recover', {});
export const signUpAgain = toAccount('/signup', { password: 'another password 2' });

export const deleteAccount: Sender = async (stage, language) => {
  const { email, token } = await stage.person(language);
  await stage.auth(language, '/user', { method: 'DELETE', token });
  const message = await stage.received(email, subject(/was deleted/, /حُذف حسابك/, language));
  return { message, email };
};

const change = (stage: Stage, language: Language, token: string, json: object) =>
  stage.auth(language, '/user', { method: 'PUT', token, json });

export const reauthenticate: Sender = async (stage, language) => {
  const { email, token } = await stage.person(language);
  await stage.auth(language, '/reauthenticate', { token });
  return { message: await stage.received(email), email };
};

async function changeEmail(stage: Stage, language: Language) {
  const { email, token } = await stage.person(language);
  const next = stage.newEmail();
  await change(stage, language, token, { email: next });
  return { email, next, atNew: await stage.received(next), atOld: await stage.received(email) };
}

export const changeEmailAtNew: Sender = async (stage, language) => {
  const { email, next, atNew } = await changeEmail(stage, language);
  return { message: atNew, email, names: { next } };
};

export const changeEmailAtOld: Sender = async (stage, language) => {
  const { email, next, atOld } = await changeEmail(stage, language);
  return { message: atOld, email, names: { next } };
};

export const completeEmailChange: Sender = async (stage, language) => {
  const { email, next, atNew, atOld } = await changeEmail(stage, language);
  for (const [to, sent] of [
    [next, atNew],
    [email, atOld],
  ] as const) {
    const json = { type: 'email_change', email: to, token: codeIn(sent) };
    await stage.auth(language, '/verify', { json });
  }
  return { message: await stage.received(email), email, names: { next } };
};

export const saveGuest: Sender = async (stage, language) => {
  const { access_token: token } = await stage.auth<{ access_token: string }>(language, '/signup', {
    json: {},
  });
  const email = stage.newEmail();
  await change(stage, language, token, { email });
  return { message: await stage.received(email), email };
};

export const changePassword: Sender = async (stage, language) => {
  const { email, token } = await stage.person(language);
  await change(stage, language, token, { password: 'another password 2' });
  return { message: await stage.received(email), email };
};

/**
 * Simulates the browser's return from the provider without loading a page. Returns the URL to which the browser is
 * redirected.
 */
async function returnFromGithub(
  stage: Stage,
  language: Language,
  email: string,
  leavingUrl: string,
): Promise<string> {
  serveGithub(stage.internet, [{ email, verified: true, primary: true }]);
  const state = new URL(leavingUrl).searchParams.get('state') ?? '';
  const response = await fetch(`${stage.origin}/auth/v1/callback?code=good-code&state=${state}`, {
    redirect: 'manual',
    headers: stage.browserHeaders(language),
  });
  return response.headers.get('location') ?? `${response.status}`;
}

/** Signs up with a provider, because, as in upstream, all other users have a password, even if they don't know it. */
export const setFirstPassword: Sender = async (stage, language) => {
  const email = stage.newEmail();
  const query = new URLSearchParams({ provider: 'github', redirect_to: `${stage.origin}/account/security` });
  const leaving = await fetch(`${stage.origin}/auth/v1/authorize?${query}`, { redirect: 'manual' });
  const returned = await returnFromGithub(stage, language, email, leaving.headers.get('location') ?? '');
  const token = new URLSearchParams(new URL(returned).hash.slice(1)).get('access_token') ?? '';
  await change(stage, language, token, { password });
  return { message: await stage.received(email), email };
};

/** Changes the phone number and confirms it with the code in the text message. */
async function changePhone(stage: Stage, language: Language, token: string): Promise<string> {
  const phone = stage.newPhone();
  await change(stage, language, token, { phone });
  const json = { type: 'phone_change', phone, token: codeIn(await stage.received(phone)) };
  await stage.auth(language, '/verify', { json });
  return phone;
}

export const linkPhone: Sender = async (stage, language) => {
  const { email, token } = await stage.person(language);
  await changePhone(stage, language, token);
  return { message: await stage.received(email), email };
};

export const replacePhone: Sender = async (stage, language) => {
  const { email, token } = await stage.person(language);
  const oldPhone = await changePhone(stage, language, token);
  await stage.received(email);
  const phone = await changePhone(stage, language, token);
  return { message: await stage.received(email), email, names: { oldPhone, phone } };
};

async function linkGithub(stage: Stage, language: Language) {
  const person = await stage.person(language);
  const { url } = await stage.auth<{ url: string }>(
    language,
    '/user/identities/authorize?provider=github&skip_http_redirect=true',
    { token: person.token },
  );
  await returnFromGithub(stage, language, person.email, url);
  return { ...person, message: await stage.received(person.email) };
}

export const linkIdentity: Sender = linkGithub;

export const unlinkIdentity: Sender = async (stage, language) => {
  const { email, token } = await linkGithub(stage, language);
  const { identities } = await stage.auth<{ identities: { identity_id: string; provider: string }[] }>(
    language,
    '/user',
    { token },
  );
  const id = identities.find(({ provider }) => provider === 'github')?.identity_id;
  await stage.auth(language, `/user/identities/${id}`, { method: 'DELETE', token });
  return { message: await stage.received(email), email };
};

/** Adds an authenticator app. The person's token then belongs to a session with two factors. */
async function personWithApp(stage: Stage, language: Language): Promise<Person & { factorId: string }> {
  const person = await stage.person(language);
  const { token } = person;
  const factor = await stage.auth<{ id: string; totp: { secret: string } }>(language, '/factors', {
    token,
    json: { factor_type: 'totp', friendly_name: 'Phone' },
  });
  const strong = await verifyFactor(stage, language, token, factor.id, async () => totp(factor.totp.secret));
  return { ...person, token: strong, factorId: factor.id };
}

async function verifyFactor(
  stage: Stage,
  language: Language,
  token: string,
  id: string,
  code: () => Promise<string>,
): Promise<string> {
  const { id: challenge_id } = await stage.auth<{ id: string }>(language, `/factors/${id}/challenge`, {
    token,
    json: {},
  });
  const json = { challenge_id, code: await code() };
  const raised = await stage.auth<{ access_token: string }>(language, `/factors/${id}/verify`, {
    token,
    json,
  });
  return raised.access_token;
}

export const addApp: Sender = async (stage, language) => {
  const { email } = await personWithApp(stage, language);
  return { message: await stage.received(email), email };
};

export const addPhoneFactor: Sender = async (stage, language) => {
  const { email, token } = await stage.person(language);
  const phone = stage.newPhone();
  const { id } = await stage.auth<{ id: string }>(language, '/factors', {
    token,
    json: { factor_type: 'phone', friendly_name: 'Phone', phone },
  });
  await verifyFactor(stage, language, token, id, async () => codeIn(await stage.received(phone)));
  return { message: await stage.received(email), email };
};

export const removeApp: Sender = async (stage, language) => {
  const { email, token, factorId } = await personWithApp(stage, language);
  await stage.received(email);
  await stage.auth(language, `/factors/${factorId}`, { method: 'DELETE', token });
  return { message: await stage.received(email), email };
};

export const addPasskey: Sender = async (stage, language) => {
  const { email, token } = await stage.person(language);
  const asked = await stage.auth<{
    challenge_id: string;
    options: Parameters<SoftwareAuthenticator['create']>[0];
  }>(language, '/passkeys/registration/options', { token, json: {} });
  const credential = new SoftwareAuthenticator(stage.origin).create(asked.options);
  const json = { challenge_id: asked.challenge_id, credential };
  await stage.auth(language, '/passkeys/registration/verify', { token, json });
  return { message: await stage.received(email), email };
};

/** Signs in on the Account pages with a browser without cookies. Returns the browser's cookies. */
async function signInOnPages(stage: Stage, language: Language, email: string): Promise<string> {
  const response = await stage.account(language, 'sign-in', { email, password });
  return response.headers
    .getSetCookie()
    .map((one) => one.split(';', 1)[0])
    .join('; ');
}

export const signInOnNewDevice: Sender = async (stage, language) => {
  const { email } = await stage.person(language);
  await signInOnPages(stage, language, email);
  return { message: await stage.received(email), email };
};

export const connectApp: Sender = async (stage, language) => {
  const { email, token } = await stage.person(language);
  const redirect_uri = 'https://reader.example/callback';
  const { client_id } = await stage.auth<{ client_id: string }>(language, '/oauth/clients/register', {
    json: { client_name: 'Night Reader', redirect_uris: [redirect_uri] },
  });
  const query = new URLSearchParams({
    response_type: 'code',
    client_id,
    redirect_uri,
    code_challenge: createHash('sha256').update('v'.repeat(43)).digest('base64url'),
    code_challenge_method: 'S256',
  });
  const response = await fetch(`${stage.origin}/auth/v1/oauth/authorize?${query}`, { redirect: 'manual' });
  const id = new URL(response.headers.get('location') ?? '').searchParams.get('authorization_id');
  await stage.auth(language, `/oauth/authorizations/${id}`, { token });
  await stage.auth(language, `/oauth/authorizations/${id}/consent`, { token, json: { action: 'approve' } });
  return { message: await stage.received(email), email };
};

/** Creates a key whose name contains a line break, which must not end the line in the email. */
export const createApiKey: Sender = async (stage, language) => {
  const { email, token } = await stage.person(language);
  await stage.auth(language, '/user/api-keys', { token, json: { name: 'Night\n<b>import</b>' } });
  return { message: await stage.received(email), email };
};

/** Guesses the password from different networks until the account rejects further guesses. */
export const failToSignIn: Sender = async (stage, language) => {
  const { email } = await stage.person(language);
  const json = { email, password: 'wrong password 3' };
  let isBlocked = false;
  let site = 0;
  for (site = 1; site < 100 && !isBlocked; site += 1) {
    const request = { json, address: `198.51.${site}.1` };
    await stage.auth(language, '/token?grant_type=password', request).catch((error: Error) => {
      isBlocked = error.message.includes(': 429 ');
    });
  }
  return { message: await stage.received(email), email, names: { network: `198.51.${site - 1}.*` } };
};

export const reportChange: Sender = async (stage, language) => {
  const { email, message } = await changePassword(stage, language);
  await stage.press(language, linkTo(message, 'not-me'));
  return { message: await stage.received(email), email };
};

export const useRecoveryCode: Sender = async (stage, language) => {
  const { email, token } = await personWithApp(stage, language);
  await stage.received(email);
  const { codes } = await stage.auth<{ codes: string[] }>(language, '/factors/recovery-codes', {
    method: 'POST',
    token,
  });
  const again = await stage.auth<{ access_token: string }>(language, '/token?grant_type=password', {
    json: { email, password },
  });
  const json = { code: codes[0] };
  await stage.auth(language, '/factors/recovery-codes/verify', { token: again.access_token, json });
  return { message: await stage.received(email, subject(/recovery code/, /رمز استرداد/, language)), email };
};

async function requestFactorRemoval(stage: Stage, language: Language) {
  const { id, email } = await personWithApp(stage, language);
  const cookie = await signInOnPages(stage, language, email);
  await stage.account(language, 'factor-removal', {}, cookie);
  const matching = subject(/^Confirm the removal/, /^أكّد إزالة/, language);
  return { id, email, cookie, message: await stage.received(email, matching) };
}

export const requestRemoval: Sender = requestFactorRemoval;

async function confirmFactorRemoval(stage: Stage, language: Language) {
  const { message, ...person } = await requestFactorRemoval(stage, language);
  await stage.press(language, linkTo(message, 'remove-factors'));
  const matching = subject(/will be removed/, /^ستتم إزالة/, language);
  return { ...person, message: await stage.received(person.email, matching) };
}

export const confirmRemoval: Sender = confirmFactorRemoval;

export const awaitRemoval: Sender = async (stage, language) => {
  const { id, email, cookie } = await confirmFactorRemoval(stage, language);
  await stage.backend.database
    .pool('supabase_admin')
    .query(
      sql`update _plinth.factor_removals set due_at = now() - interval '1 minute' where user_id = ${id}`,
    );
  await stage.account(language, 'factor-removal', undefined, cookie);
  return { message: await stage.received(email, subject(/was removed/, /^أُزيل التحقق/, language)), email };
};
