/**
 * Flows for slow responses, rate limits and outages. The flows check what the pages show while a response is pending,
 * and how users can continue.
 */
import type { BrowserContext, Route } from 'playwright-core';
import { password } from '../../harness.ts';
import type { Flow } from '../scene.ts';
import { say } from '../texts.ts';
import { askAsApp } from '../world.ts';
import { signedInWithApp } from './security.ts';

/** Responds to every request for a URL with auth's error response for this code. */
function refuse(context: BrowserContext, url: string, status: number, code: string): Promise<unknown> {
  return context.route(url, (route) => route.fulfill({ status, json: { error_code: code, msg: '' } }));
}

/** Holds requests for a URL. Returns a function that makes them fail as if the connection were lost. */
async function hold(context: BrowserContext, url: string): Promise<() => Promise<void>> {
  const held: Route[] = [];
  await context.route(url, (route) => void held.push(route));
  return async () => {
    await Promise.all(held.map((route) => route.abort('internetdisconnected')));
    await context.unroute(url);
  };
}

/** Delays requests for a URL. Returns a function that lets them continue. */
async function delay(context: BrowserContext, url: string): Promise<() => Promise<void>> {
  const held: Route[] = [];
  await context.route(url, (route) => void held.push(route));
  return async () => {
    await Promise.all(held.map((route) => route.continue()));
    await context.unroute(url);
  };
}

const atSignIn: Flow = {
  name: 'signing in works over a slow or lost connection, and after too many attempts',
  async play({ context, page, world, walker, ...scene }) {
    const email = await world.newUser();
    const url = '**/account/api/sign-in';
    await scene.open('sign-in');
    await page.waitForLoadState('networkidle');
    const disconnect = await hold(context, url);
    await walker.fill(say('field.email-or-phone'), email);
    await walker.enter();
    await scene.arrives('page.password');
    await walker.fill(say('field.password'), password);
    await walker.enter();
    await page.getByRole('button', { name: say('sign-in.submit'), exact: true, disabled: true }).waitFor();
    await scene.state('password, on its way');
    await disconnect();
    await scene.sees(say('error.network'));
    await scene.state('password, no connection');
    await refuse(context, url, 429, 'over_request_rate_limit');
    await walker.press(say('sign-in.submit'), 'button');
    await scene.sees(say('error.over_request_rate_limit'));
    await scene.state('password, too often');
    await context.unroute(url);
    await refuse(context, '**/account/api/code', 429, 'over_email_send_rate_limit');
    await walker.press(say('sign-in.send-code'));
    await scene.sees(say('error.over_email_send_rate_limit'));
    await scene.state('password, code too soon');
    await walker.press(say('sign-in.submit'), 'button');
    await scene.sees(say('security.as', { who: email }));
  },
};

const elsewhere: Flow = {
  name: 'an app whose address isn’t allowed shows an error',
  async play({ world, ...scene }) {
    const query = new URLSearchParams({
      redirect_to: 'https://other.example/',
      code_challenge_method: 's256',
    });
    query.set('code_challenge', askAsApp(world).challenge);
    await scene.open('sign-in', `?${query}`);
    await scene.arrives('page.refused-app');
    await scene.sees(say('refused.redirect_not_allowed'));
    await scene.state('sign-in, address not allowed');
  },
};

const onTheSecurityPage: Flow = {
  name: 'the security page works over a slow or lost connection, and if parts fail',
  async play({ context, page, world, walker, ...scene }) {
    const email = await scene.startsSession();
    const disconnect = await hold(context, '**/account/api/session');
    await scene.open('security');
    await scene.arrives('page.security');
    await scene.state('security, on its way');
    await disconnect();
    await scene.sees(say('error.network'));
    await scene.state('security, no connection');
    for (const part of ['sessions', 'oauth/grants'])
      await refuse(context, `**/auth/v1/user/${part}`, 403, 'not_admin');
    await walker.press(say('security.again'));
    await scene.sees(say('security.load-failed'));
    await scene.state('security, parts missing');
    await context.unroute('**/auth/v1/user/sessions');
    const sessions = page.getByRole('region', { name: say('security.sessions'), exact: true });
    await sessions.getByRole('button', { name: say('security.again') }).press('Enter');
    await sessions.getByText(say('security.session-current')).waitFor();

    await refuse(context, '**/auth/v1/user', 401, 'reauthentication_needed');
    await context.route('**/auth/v1/reauthenticate', (route) => route.fulfill({ json: {} }));
    await walker.press(say('security.password-change'));
    await walker.fill(say('field.new-password'), 'quite another 3');
    await walker.enter();
    await scene.sees(say('security.password-nonce'));
    await walker.reaches(say('field.code'));
    await scene.state('security, code for the password');
    await context.unroute('**/auth/v1/user');
    await refuse(context, '**/auth/v1/user', 409, 'conflict');
    await walker.press(say('data.delete'));
    await walker.fill(say('data.delete-type', { who: email }), email);
    await walker.enter();
    await scene.sees(say('data.delete-refused'));
    await scene.state('security, account kept');
  },
};

const manyWays: Flow = {
  name: 'a user chooses between several second factors and uses the last recovery codes',
  async play(scene) {
    const { context, page, world, walker } = scene;
    const { email } = await signedInWithApp(scene, 'Pocket phone');
    const phone = world.newPhone();
    await walker.press(say('factor.add-phone'));
    await walker.fill(say('field.phone'), `+${phone}`);
    await walker.enter();
    const verify = await delay(context, '**/account/api/factor/verify');
    await walker.fill(say('field.code'), await scene.code(phone));
    // The button already has focus when the form above the button is replaced, and the button stays visible.
    await walker.tabTo(say('recovery.make'));
    await verify();
    await scene.sees(say('factor.ready'));
    await walker.press(say('recovery.make'));
    await walker.press(say('recovery.kept'));
    await context.route('**/auth/v1/factors/recovery-codes', (route) =>
      route.fulfill({ json: { total: 10, remaining: 2 } }),
    );
    await page.reload();
    await scene.sees(say('recovery.few'));
    await scene.state('security, few recovery codes');
    await scene.signOut();
    await scene.open('sign-in');
    await scene.signIn(email);
    await scene.arrives('page.mfa');
    await walker.tabTo(say('mfa.use-recovery'));
    await scene.state('mfa, several ways');
    await walker.press(say('mfa.use-phone', { name: `+${phone}` }));
    await walker.press(say('mfa.phone-send'));
    await walker.fill(say('field.code'), '000000');
    await scene.sees(say('mfa.phone-wrong'));
    await scene.state('mfa by phone, wrong code');
    await walker.press(say('mfa.use-recovery'));
    await walker.reaches(say('mfa.recovery-code'));
    await scene.state('mfa, recovery code');
  },
};

const afterTheApp: Flow = {
  name: 'a user who was signed out by an app signs out here too',
  async play({ world, walker, ...scene }) {
    const email = await scene.startsSession();
    const search = `?${new URLSearchParams({ redirect_to: world.appUrl })}`;
    await scene.open('signed-out', search);
    await scene.sees(say('still-in.text', { who: email }));
    await scene.sees(say('still-in.back', { host: new URL(world.appUrl).host }));
    await scene.state('still signed in');
    await walker.press(say('still-in.submit'));
    await scene.arrives('page.signed-out');
    await scene.state('signed out, with a way back');
  },
};

const handingOver: Flow = {
  name: 'a failed move of guest data shows an error',
  async play({ context, world, walker, ...scene }) {
    const email = await world.newUser();
    await scene.startsAsGuest();
    await scene.open('guest');
    await scene.sees(say('sign-in.already-guest'));
    await scene.state('guest, one already');
    await scene.open('upgrade');
    await walker.press(say('upgrade.elsewhere'));
    await scene.arrives('page.sign-in');
    await scene.sees(say('hand-over.sign-in'));
    await scene.state('sign-in, to bring a guest along');
    await scene.signIn(email);
    await scene.sees(say('hand-over.text', { who: email }));
    const url = '**/account/api/guest/hand-over';
    for (const code of ['hand_over_failed', 'sign_in_stale'] as const) {
      await refuse(context, url, 409, code);
      await walker.press(say('hand-over.submit'));
      await scene.sees(say(`error.${code}`));
      await scene.state(`bring it along, ${code}`);
      await context.unroute(url);
    }
    await walker.press(say('hand-over.leave'));
    await scene.arrives('page.upgrade-member');
    await scene.sees(say('upgrade.member', { who: email }));
    await scene.state('upgrade, no guest');
  },
};

export const inTrouble: readonly Flow[] = [
  atSignIn,
  elsewhere,
  onTheSecurityPage,
  manyWays,
  afterTheApp,
  handingOver,
];
