/** Flows without scripts: signing in, codes, a forgotten password and the second factor. */
import { deepEqual } from 'node:assert/strict';
import { laterTotp, password, totp } from '../../harness.ts';
import type { Flow, Scene } from '../scene.ts';
import { say } from '../texts.ts';
import { until } from '../until.ts';
import { askAsApp, redeem, type World } from '../world.ts';

async function fillIn({ walker, ...scene }: Scene, email: string, secret: string): Promise<void> {
  await walker.fill(say('field.email'), email);
  await walker.enter();
  await scene.arrives('page.password');
  await walker.fill(say('field.password'), secret);
  await walker.enter();
}

const signIn: Flow = {
  name: 'a user signs in to an app with a password, after two mistakes',
  isStill: true,
  async play(scene) {
    const { page, world, walker } = scene;
    const email = await world.newUser();
    const { search, verifier } = askAsApp(world);
    await scene.open('sign-in', search);
    await scene.state('no scripts, sign-in');
    await walker.press(say('sign-in.next'));
    await scene.sees(say('field.email-missing'));
    await walker.reaches(say('field.email'));
    await scene.state('no scripts, sign-in, nothing typed');
    await walker.fill(say('field.email'), email);
    await walker.enter();
    await scene.arrives('page.password');
    await scene.state('no scripts, password');
    await walker.fill(say('field.password'), 'not this one');
    await walker.enter();
    await scene.sees(say('error.invalid_credentials'));
    await scene.state('no scripts, password, refused');
    await walker.fill(say('field.password'), password);
    await walker.enter();
    await page.waitForURL(`${world.appUrl}?**`);
    deepEqual(await redeem(world, page.url(), verifier), { email, aal: 'aal1' });
    await scene.open('signed-in');
    await scene.sees(say('plain.as', { who: email }));
    await scene.state('no scripts, signed in');
    await walker.press(say('plain.sign-out'));
    await scene.arrives('page.signed-out');
  },
};

const code: Flow = {
  name: 'a user signs in with an emailed code, after a wrong one and a second one',
  isStill: true,
  async play(scene) {
    const { world, walker } = scene;
    const email = await world.newUser();
    await scene.open('sign-in');
    await walker.fill(say('field.email'), email);
    await walker.enter();
    await scene.arrives('page.password');
    await walker.press(say('sign-in.send-code'));
    await scene.arrives('page.code');
    await scene.state('no scripts, code');
    await walker.fill(say('field.code'), '000000');
    await walker.enter();
    await scene.sees(say('error.otp_expired'));
    await scene.state('no scripts, code wrong');
    await scene.code(email);
    await walker.press(say('code.resend'));
    await scene.sees(say('code.resent'));
    await scene.state('no scripts, code sent again');
    await walker.fill(say('field.code'), await scene.code(email));
    await walker.enter();
    await scene.sees(say('plain.as', { who: email }));
  },
};

const recovery: Flow = {
  name: 'a user resets a forgotten password',
  isStill: true,
  async play(scene) {
    const { world, walker } = scene;
    const email = await world.newUser();
    await scene.open('sign-in');
    await walker.fill(say('field.email'), email);
    await walker.enter();
    await scene.arrives('page.password');
    await walker.press(say('sign-in.forgot'));
    await scene.arrives('page.recover');
    await until(() => scene.page.locator('#email').inputValue(), email);
    await scene.state('no scripts, recover');
    await walker.fill(say('field.email'), 'nonsense@');
    await walker.enter();
    await scene.sees(say('field.email-wrong'));
    await walker.fill(say('field.email'), email);
    await walker.enter();
    await scene.arrives('page.code');
    await walker.fill(say('field.code'), await scene.code(email));
    await walker.enter();
    await scene.arrives('page.new-password');
    await scene.state('no scripts, new-password');
    await walker.fill(say('field.new-password'), 'short');
    await walker.enter();
    await scene.sees(say('error.weak_password'));
    await scene.state('no scripts, new-password, weak');
    await walker.fill(say('field.new-password'), 'another horse 2');
    await walker.press(say('new-password.submit'));
    await scene.sees(say('plain.as', { who: email }));
  },
};

const signUp: Flow = {
  name: 'a user creates an account and confirms it with the link',
  isStill: true,
  async play({ page, world, walker, ...scene }) {
    const email = world.newEmail();
    await scene.open('sign-up');
    await scene.state('no scripts, sign-up');
    await walker.fill(say('field.email'), email);
    await walker.fill(say('field.password'), password);
    await walker.enter();
    await scene.arrives('page.code');
    await scene.state('no scripts, sign-up, code');
    await walker.press(say('plain.check'));
    await scene.sees(say('plain.unconfirmed'));
    await scene.state('no scripts, link not confirmed');
    // The link was requested in this browser, so the user only needs to open it.
    await page.goto(await scene.link(email));
    await scene.open('signed-in');
    await scene.sees(say('plain.as', { who: email }));
  },
};

/** Sets up an authenticator app through the API and returns its secret. */
async function enroll(world: World, email: string): Promise<string> {
  const ask = async <T>(path: string, json: object, token = ''): Promise<T> => {
    const response = await world.backend.fetch(`/auth/v1${path}`, {
      method: 'POST',
      headers: {
        apikey: world.backend.keys.publishableKey,
        'content-type': 'application/json',
        ...(token === '' ? {} : { authorization: `Bearer ${token}` }),
      },
      body: JSON.stringify(json),
    });
    return (await response.json()) as T;
  };
  type Session = { access_token: string };
  type Factor = { id: string; totp: { secret: string } };
  const { access_token: token } = await ask<Session>('/token?grant_type=password', { email, password });
  const { id, totp: made } = await ask<Factor>('/factors', { factor_type: 'totp' }, token);
  const { id: challenge_id } = await ask<{ id: string }>(`/factors/${id}/challenge`, {}, token);
  await ask(`/factors/${id}/verify`, { challenge_id, code: totp(made.secret) }, token);
  return made.secret;
}

const secondFactor: Flow = {
  name: 'a user signs in to an app with the second factor',
  isStill: true,
  async play(scene) {
    const { page, world, walker } = scene;
    const email = await world.newUser();
    const secret = await enroll(world, email);
    const { search, verifier } = askAsApp(world);
    await scene.open('sign-in', search);
    await fillIn(scene, email, password);
    await scene.arrives('page.mfa');
    await scene.sees(say('plain.mfa', { name: 'Meadow', email }));
    await scene.sees(say('plain.mfa-other'));
    await scene.state('no scripts, mfa');
    await walker.fill(say('field.code'), '000000');
    await walker.enter();
    await scene.sees(say('error.mfa_verification_failed'));
    await scene.state('no scripts, mfa, wrong code');
    await walker.press(say('mfa.use-recovery'));
    await scene.sees(say('mfa.recovery-intro'));
    await scene.state('no scripts, recovery code');
    await walker.fill(say('mfa.recovery-code'), 'not a code');
    await walker.enter();
    await scene.sees(say('mfa.recovery-wrong'));
    await walker.press(say('plain.mfa-app'));
    await scene.sees(say('plain.mfa', { name: 'Meadow', email }));
    await walker.fill(say('field.code'), laterTotp(secret));
    await walker.enter();
    await page.waitForURL(`${world.appUrl}?**`);
    deepEqual(await redeem(world, page.url(), verifier), { email, aal: 'aal2' });
  },
};

export const withoutScripts: readonly Flow[] = [signIn, code, recovery, signUp, secondFactor];
