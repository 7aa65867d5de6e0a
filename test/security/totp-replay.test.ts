/**
 * Tests that a code from an authenticator app works only once (RFC 6238 section 5.2). The code can't be used in another
 * session or twice concurrently.
 */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { totpCode } from '../../src/base/shared/one-time-codes.ts';
import { type AuthServer, newEmail, startAuth } from '../auth/harness.ts';

const password = 'secret-123';

let server: AuthServer;
beforeAll(async () => {
  server = await startAuth({ mfa: { totp: { enroll_enabled: true, verify_enabled: true } } });
  server.clock.freeze();
});
afterAll(() => server?.stop());

interface SessionJson {
  readonly access_token: string;
}

interface Enrolled {
  readonly id: string;
  readonly totp: { readonly secret: string };
}

const signIn = async (email: string) =>
  (await server.request('/token?grant_type=password', { json: { email, password } })).json<SessionJson>();

async function challenge({ access_token: token }: SessionJson, factor: Enrolled): Promise<string> {
  const response = await server.request(`/factors/${factor.id}/challenge`, { token, json: {} });
  return (await response.json<{ id: string }>()).id;
}

async function verify(
  { access_token: token }: SessionJson,
  factor: Enrolled,
  challenge_id: string,
  code: string,
) {
  const json = { challenge_id, code };
  const response = await server.request(`/factors/${factor.id}/verify`, { token, json });
  return [response.status, (await response.json()).error_code];
}

/** Returns the code that is valid `steps` time steps from now. */
const code = ({ totp }: Enrolled, steps = 0): string =>
  totpCode(totp.secret, Math.floor(server.clock.now() / 30_000) + steps) ?? '';

async function enrolled(): Promise<{ email: string; factor: Enrolled; session: SessionJson }> {
  const email = newEmail();
  const session = await (await server.request('/signup', { json: { email, password } })).json<SessionJson>();
  const json = { factor_type: 'totp', friendly_name: 'app' };
  const factor = await (
    await server.request('/factors', { token: session.access_token, json })
  ).json<Enrolled>();
  return { email, factor, session };
}

const wrong = [422, 'mfa_verification_failed'];

it("a code that raised one session can't raise another, and neither can an older code", async () => {
  const { email, factor, session } = await enrolled();
  const used = code(factor);
  expect(await verify(session, factor, await challenge(session, factor), used)).toEqual([200, undefined]);
  const second = await signIn(email);
  const older = code(factor, -1);
  const newer = code(factor, 1);
  expect(await verify(second, factor, await challenge(second, factor), used)).toEqual(wrong);
  expect(await verify(second, factor, await challenge(second, factor), older)).toEqual(wrong);
  expect(await verify(second, factor, await challenge(second, factor), newer)).toEqual([200, undefined]);
  // The current code is rejected because a later code was used.
  server.clock.advance(30_000);
  const third = await signIn(email);
  expect(await verify(third, factor, await challenge(third, factor), newer)).toEqual(wrong);
});

it('if many sessions use a code concurrently, it raises only one of them', async () => {
  const { email, factor, session } = await enrolled();
  await verify(session, factor, await challenge(session, factor), code(factor));
  server.clock.advance(60_000);
  const sessions = await Promise.all(Array.from({ length: 4 }, () => signIn(email)));
  const challenges = await Promise.all(sessions.map((each) => challenge(each, factor)));
  const answers = await Promise.all(
    sessions.map((each, index) => verify(each, factor, challenges[index] ?? '', code(factor))),
  );
  expect(answers.filter(([status]) => status === 200)).toHaveLength(1);
});
