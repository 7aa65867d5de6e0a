/**
 * Tests that if an account has a second factor, its password isn't sufficient to add or remove a sign-in method. Also
 * tests that the last sign-in method can't be removed.
 */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { currentStep, totpCode } from '../../src/base/shared/one-time-codes.ts';
import { type AuthServer, startAuth } from '../auth/harness.ts';
import { password, person } from '../auth/oauth-server/client.ts';

let auth: AuthServer;
beforeAll(async () => {
  auth = await startAuth({
    enable_manual_linking: true,
    mfa: { totp: { enroll_enabled: true, verify_enabled: true } },
    external: { github: { enabled: true, client_id: 'github-client', secret: 'secret' } },
  });
});
afterAll(() => auth?.stop());

interface Session {
  readonly access_token: string;
  readonly user: { readonly identities: readonly { readonly identity_id: string }[] };
}

async function withFactor(): Promise<{ email: string; raised: Session }> {
  const { email, token } = await person(auth);
  const enrolled = await auth.request('/factors', { token, json: { factor_type: 'totp' } });
  const { id, totp } = await enrolled.json<{ id: string; totp: { secret: string } }>();
  const challenge = await (await auth.request(`/factors/${id}/challenge`, { token, json: {} })).json<{
    id: string;
  }>();
  const code = totpCode(totp.secret, currentStep(auth.clock.now()));
  const verified = await auth.request(`/factors/${id}/verify`, {
    token,
    json: { challenge_id: challenge.id, code },
  });
  return { email, raised: await verified.json<Session>() };
}

it('identities can be linked and unlinked only with the second factor', async () => {
  const { email, raised } = await withFactor();
  const signedIn = await auth.request('/token?grant_type=password', { json: { email, password } });
  const { access_token: token, user } = await signedIn.json<Session>();
  const tries: [string, object][] = [
    ['/user/identities/authorize?provider=github&skip_http_redirect=true', {}],
    [`/user/identities/${user.identities[0]?.identity_id}`, { method: 'DELETE' }],
    ['/token?grant_type=id_token', { json: { provider: 'google', id_token: 'a.b.c', link_identity: true } }],
  ];
  for (const [path, init] of tries) {
    const response = await auth.request(path, { ...init, token });
    expect([path, response.status, (await response.json()).error_code]).toEqual([
      path,
      403,
      'insufficient_aal',
    ]);
  }
  const [path = '', init] = tries[0] ?? [];
  const response = await auth.request(path, { ...init, token: raised.access_token });
  expect(response.status).toBe(200);
});

it('the last identity is kept if all of them are removed concurrently', async () => {
  const { token } = await person(auth);
  const { id: userId } = await (await auth.request('/user', { token })).json<{ id: string }>();
  for (const provider of ['github', 'gitlab', 'google'])
    await auth.database.pool('supabase_admin').exec(
      `insert into auth.identities (id, provider_id, user_id, identity_data, provider, created_at)
       values (gen_random_uuid(), '${userId}', '${userId}', '{"sub": "${userId}"}', '${provider}', now())`,
    );
  const { identities } = await (await auth.request('/user', { token })).json<Session['user']>();
  expect(identities.length).toBe(4);
  const answers = await Promise.all(
    identities.map((each) =>
      auth.request(`/user/identities/${each.identity_id}`, { method: 'DELETE', token }),
    ),
  );
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 200, 422]);
  const left = await (await auth.request('/user', { token })).json<Session['user']>();
  expect(left.identities.length).toBe(1);
});
