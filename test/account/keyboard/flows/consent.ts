/** Flows in which another app requests access. */
import { equal, match } from 'node:assert/strict';
import type { Flow } from '../scene.ts';
import { say } from '../texts.ts';
import { askAsApp, type World } from '../world.ts';

interface Client {
  readonly client_id: string;
}

/** Registers a client, either as an administrator or as the app itself. */
async function register(world: World, name: string, isVetted: boolean): Promise<Client> {
  const path = isVetted ? '/admin/oauth/clients' : '/oauth/clients/register';
  return world.admin(path, {
    client_name: name,
    client_uri: 'https://herbarium.example/about',
    redirect_uris: [world.appUrl],
    token_endpoint_auth_method: 'none',
    ...(isVetted ? { client_type: 'public' } : {}),
  });
}

/** Returns the URL to which an app redirects the browser to request access. */
function requestOf(world: World, { client_id }: Client): string {
  const query = new URLSearchParams({
    client_id,
    scope: 'openid email profile phone',
    redirect_uri: world.appUrl,
    response_type: 'code',
    state: 'st',
    code_challenge: askAsApp(world).challenge,
    code_challenge_method: 'S256',
  });
  return `${world.origin}/auth/v1/oauth/authorize?${query}`;
}

const allowed: Flow = {
  name: 'a user allows access after signing in, and removes it later',
  async play({ page, world, walker, ...scene }) {
    const email = await world.newUser();
    const client = await register(world, 'Herbarium', true);
    await page.goto(requestOf(world, client));
    await scene.arrives('page.sign-in');
    await scene.signIn(email);
    await scene.sees(say('consent.asks', { app: 'Herbarium', name: 'Meadow' }));
    await scene.state('consent');
    await walker.press(say('consent.allow'));
    await page.waitForURL(`${world.appUrl}?**`);
    match(new URL(page.url()).searchParams.get('code') ?? '', /./);
    await scene.open('security');
    await scene.sees('herbarium.example');
    await scene.state('security, an app allowed');
    await walker.press(say('apps.remove-what', { app: 'Herbarium' }));
    await scene.sees(say('apps.removed', { app: 'Herbarium' }));
    await scene.sees(say('apps.none'));
  },
};

const denied: Flow = {
  name: 'a user continues with another account and denies access to an unverified app',
  async play({ page, world, walker, ...scene }) {
    await scene.startsSession();
    const other = await world.newUser();
    const client = await register(world, 'Meadow Support', false);
    await page.goto(requestOf(world, client));
    await scene.sees(say('consent.unvetted', { name: 'Meadow' }));
    await scene.state('consent, app unchecked');
    await walker.press(say('consent.other'));
    await scene.arrives('page.accounts');
    await scene.state('accounts, for a request');
    await walker.press(say('accounts.add'), 'link');
    await scene.arrives('page.sign-in');
    await scene.signIn(other);
    await scene.sees(say('consent.as', { who: other }));
    await walker.press(say('consent.deny'));
    await page.waitForURL(`${world.appUrl}?**`);
    equal(new URL(page.url()).searchParams.get('error'), 'access_denied');
  },
};

const none: Flow = {
  name: 'a missing or expired request shows an error',
  async play({ walker, ...scene }) {
    await scene.startsSession();
    await scene.open('consent');
    await scene.arrives('page.consent-none');
    await scene.sees(say('consent.missing'));
    await scene.state('consent, no request');
    await scene.open('consent', `?authorization_id=${'a'.repeat(32)}`);
    await scene.arrives('page.consent-expired');
    await scene.sees(say('error.oauth_authorization_not_found'));
    await scene.state('consent, run out');
    await walker.press(say('consent.account'));
    await scene.arrives('page.security');
  },
};

export const onConsent: readonly Flow[] = [allowed, denied, none];
