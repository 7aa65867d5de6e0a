/** Flows for all sign-in methods. */
import { deepEqual } from 'node:assert/strict';
import { ethereumWallet } from '../../../auth/wallet-keys.ts';
import { announcing, installWallet, shortAddress } from '../../browser-wallets.ts';
import { password } from '../../harness.ts';
import type { Flow, Scene } from '../scene.ts';
import { say } from '../texts.ts';
import { until } from '../until.ts';
import { askAsApp, redeem } from '../world.ts';

const withPassword: Flow = {
  name: 'a user signs in to an app with a password',
  async play({ world, page, walker, ...scene }) {
    const email = await world.newUser();
    const { search, verifier } = askAsApp(world);
    await scene.open('sign-in', search);
    await scene.sees(say('sign-in.to', { host: new URL(world.appUrl).host }));
    await scene.state('sign-in');
    await walker.press(say('sign-in.next'));
    await scene.sees(say('field.email-or-phone-missing'));
    await walker.reaches(say('field.email-or-phone'));
    await scene.state('sign-in, nothing typed');
    await walker.press(say('sign-in.others'), 'DisclosureTriangle');
    await scene.sees(say('sign-in.guest'));
    await scene.state('sign-in, other ways');
    await walker.fill(say('field.email-or-phone'), email);
    await walker.enter();
    await scene.arrives('page.password');
    await walker.reaches(say('field.password'));
    await scene.state('password');
    await walker.press(say('sign-in.submit'));
    await scene.sees(say('field.password-missing'));
    await walker.fill(say('field.password'), 'not this one');
    await walker.press(say('ui.show-password'));
    await walker.tabTo(say('ui.hide-password'));
    await walker.press(say('sign-in.submit'));
    await scene.sees(say('error.invalid_credentials'));
    await scene.state('password, refused');
    // The user can change the address with the page's link or the browser's back button.
    await walker.press(say('password.change'));
    await scene.arrives('page.sign-in');
    await until(() => page.locator('#email').inputValue(), email);
    await page.goBack();
    await page.reload();
    await scene.arrives('page.password');
    await walker.fill(say('field.password'), password);
    await walker.enter();
    await page.waitForURL(`${world.appUrl}?**`);
    deepEqual(await redeem(world, page.url(), verifier), { email, aal: 'aal1' });

    const again = askAsApp(world);
    await scene.open('sign-in', again.search);
    await scene.sees(say('sign-in.already', { who: email }));
    await scene.state('sign-in, signed in already');
    await walker.press(say('sign-in.continue-to', { host: new URL(world.appUrl).host }));
    await page.waitForURL(`${world.appUrl}?**`);
    deepEqual(await redeem(world, page.url(), again.verifier), { email, aal: 'aal1' });
    await scene.open('sign-in');
    await walker.press(say('sign-in.other'), 'link');
    await scene.arrives('page.accounts');
    await scene.state('accounts');
    await walker.press(say('accounts.add'), 'link');
    await scene.arrives('page.sign-in');
    await walker.tabTo(say('field.email-or-phone'));
  },
};

const withCode: Flow = {
  name: 'a user signs in with an emailed code, after a wrong one and a second one',
  async play({ context, page, world, walker, ...scene }) {
    const email = await world.newUser();
    await scene.open('sign-in');
    await walker.fill(say('field.email-or-phone'), email);
    await walker.enter();
    await walker.press(say('sign-in.send-code'));
    await scene.arrives('page.code');
    await scene.state('code');
    const first = await scene.code(email);
    await walker.fill(say('field.code'), first === '000000' ? '111111' : '000000');
    await scene.sees(say('error.otp_expired'));
    await scene.state('code, wrong');
    await context.clock.setFixedTime(Date.now() + 10_000);
    await page.getByRole('button', { name: say('code.resend'), exact: true, disabled: false }).waitFor();
    await walker.press(say('code.resend'));
    await scene.sees(say('code.resent'));
    await page.getByText(say('error.otp_expired')).first().waitFor({ state: 'detached' });
    await scene.state('code, sent again');
    const second = await scene.code(email);
    await context.clock.setFixedTime(Date.now());
    await walker.fill(say('field.code'), second);
    await scene.sees(say('security.as', { who: email }));

    // The next flow starts on the page with the address field.
    await scene.signOut();
    await scene.open('code');
    await scene.state('code, where to');
    await walker.fill(say('field.email'), 'not-an-email');
    await walker.enter();
    await scene.sees(say('field.email-wrong'));
    await walker.fill(say('field.email'), email);
    await walker.press(say('code.send'));
    await scene.arrives('page.code');
    await walker.press(say('code.other'));
    await scene.arrives('page.code-ask');
  },
};

const withLink: Flow = {
  name: 'the link in an email works once',
  async play({ page, world, walker, ...scene }) {
    const email = await world.newUser();
    await scene.open('code');
    await walker.fill(say('field.email'), email);
    await walker.enter();
    // The email can arrive before the response, which sets the cookie that identifies this browser.
    await scene.arrives('page.code');
    const link = await scene.link(email);
    // The link was requested in this browser, so the user only needs to open it.
    await page.goto(link);
    await scene.sees(say('security.as', { who: email }));
    await page.goto(link);
    await scene.arrives('page.link-expired');
    await scene.state('link expired');
    await walker.press(say('link-expired.sign-in'));
    await scene.arrives('page.welcome-back');
    // This link wasn't requested in a browser, so the user must confirm it.
    const other = await world.newUser();
    const { url, keys } = world.backend;
    await fetch(`${url}/auth/v1/otp`, {
      method: 'POST',
      headers: { apikey: keys.anonKey, 'content-type': 'application/json' },
      body: JSON.stringify({ email: other }),
    });
    await page.goto(await scene.link(other));
    await scene.arrives('page.confirm-magiclink', { name: 'Meadow' });
    await scene.state('confirm');
  },
};

/** Fills in the identity provider's pages, each of which gives focus to its first field. */
export async function atProvider(
  { page, walker }: Pick<Scene, 'page' | 'walker'>,
  login: string,
): Promise<void> {
  await page.locator('input[name=login]').waitFor();
  await walker.tabTo('Enter any login');
  await walker.type(login);
  await walker.tabTo('and password');
  await walker.type('any');
  await walker.enter();
  await page.getByText('Authorize').waitFor();
  await walker.press('Continue', 'button');
}

const withProvider: Flow = {
  name: 'a user signs in with an identity provider, after denying access',
  async play({ page, world, walker, ...scene }) {
    const email = world.newEmail();
    const login = email.replace(/@.*/, '');
    world.accounts.set(login, { email, email_verified: true, name: 'Ann' });
    await scene.open('sign-in');
    await walker.press(say('sign-in.others'), 'DisclosureTriangle');
    await walker.press(say('sign-in.with', { provider: 'Keycloak' }), 'link');
    await page.locator('input[name=login]').waitFor();
    await walker.press(/cancel/i);
    await scene.sees(say('error.access_denied'));
    await scene.state('sign-in, refused at the provider');
    const { search, verifier } = askAsApp(world);
    await scene.open('sign-up', search);
    await walker.press(say('sign-in.with', { provider: 'Keycloak' }), 'link');
    await atProvider({ page, walker }, login);
    await page.waitForURL(`${world.appUrl}?**`);
    deepEqual(await redeem(world, page.url(), verifier), { email, aal: 'aal1' });

    // The last used method comes first.
    await scene.open('security');
    await walker.press(say('security.sign-out'), 'button');
    await scene.sees(say('sign-out.apps'));
    await scene.state('security, sign out of apps');
    await walker.press(say('sign-out.all'));
    await scene.arrives('page.signed-out');
    await scene.open('sign-in');
    const last = `${say('sign-in.with', { provider: 'Keycloak' })} ${say('sign-in.last-used')}`;
    await walker.tabTo(new RegExp(`^${last.replace(' ', '\\s*')}`), 'link');
    await scene.state('sign-in, with a last used provider');
  },
};

const withOrganization: Flow = {
  name: 'a user signs in with single sign-on by domain',
  async play({ page, world, walker, ...scene }) {
    world.company.email = world.newEmail().replace(/@.*/, `@${world.company.domain}`);
    await scene.open('sign-in');
    await walker.press(say('sign-in.others'), 'DisclosureTriangle');
    await walker.press(say('sign-in.sso'));
    await scene.arrives('page.sso');
    await scene.state('sso');
    await walker.fill(say('sso.domain'), 'nonsense');
    await walker.enter();
    await scene.sees(say('field.domain-wrong'));
    await walker.fill(say('sso.domain'), 'ada@elsewhere.example');
    await walker.enter();
    await scene.sees(say('error.sso_provider_not_found'));
    await scene.state('sso, unknown domain');
    await walker.fill(say('sso.domain'), world.company.email);
    await walker.enter();
    await page.getByText('The works').first().waitFor();
    await walker.press('Enter the works');
    await scene.sees(say('security.as', { who: world.company.email }));
    await scene.state('security, of an organization');
  },
};

const withPhone: Flow = {
  name: 'a new user signs in with a phone number',
  async play({ page, world, walker, ...scene }) {
    const phone = world.newPhone();
    await scene.open('sign-up');
    await walker.press(say('sign-up.phone'));
    await walker.fill(say('field.phone'), '12');
    await walker.enter();
    await scene.sees(say('field.phone-wrong'));
    await scene.state('code by phone, wrong number');
    await walker.fill(say('field.phone'), `+${phone}`);
    await walker.enter();
    await scene.arrives('page.code');
    await scene.state('code by phone');
    await walker.fill(say('field.code'), await scene.code(phone));
    await page.waitForURL('**/account/security');
    await scene.sees(say('security.as', { who: `+${phone}` }));
    await scene.state('security, of a phone');
    await scene.signOut();
    await scene.open('sign-in');
    await walker.fill(say('field.email-or-phone'), `+${phone}`);
    await walker.enter();
    await walker.fill(say('field.code'), await scene.code(phone));
    await page.waitForURL('**/account/security');
  },
};

const signUp: Flow = {
  name: 'a user creates an account and confirms it with the code',
  async play({ world, walker, ...scene }) {
    const email = world.newEmail();
    await scene.open('sign-up');
    await scene.state('sign-up');
    await walker.fill(say('field.email'), email);
    await walker.fill(say('field.password'), 'short');
    await walker.press(say('sign-up.submit'));
    await scene.sees(say('field.password-weak'));
    await walker.reaches(say('field.password'));
    await scene.state('sign-up, weak password');
    await walker.fill(say('field.password'), password);
    await walker.enter();
    await scene.sees(say('code.sent-confirm', { length: 6, email }));
    await scene.state('sign-up, code');
    await walker.fill(say('field.code'), await scene.code(email));
    await scene.sees(say('security.as', { who: email }));
    await scene.signOut();

    // The response is the same if an account already uses the address.
    await scene.open('sign-up');
    await walker.fill(say('field.email'), email);
    await walker.fill(say('field.password'), password);
    await walker.enter();
    await scene.sees(say('code.sent-confirm', { length: 6, email }));
  },
};

const invitation: Flow = {
  name: 'a user accepts an invitation',
  async play({ page, world, walker, ...scene }) {
    const email = world.newEmail();
    await world.admin(`/invite?redirect_to=${encodeURIComponent(`${world.origin}/account/security`)}`, {
      email,
    });
    await page.goto(await scene.link(email));
    await scene.arrives('page.confirm-invite', { name: 'Meadow' });
    await scene.state('confirm, invitation');
    await walker.press(say('confirm.invite-button', { name: 'Meadow' }));
    await scene.arrives('page.join', { name: 'Meadow' });
    await scene.state('join');
    await walker.fill(say('field.new-password'), 'short');
    await walker.enter();
    await scene.sees(say('field.password-weak'));
    await scene.state('join, weak password');
    await walker.fill(say('field.new-password'), password);
    await walker.press(say('new-password.submit'));
    await scene.sees(say('security.as', { who: email }));
  },
};

const recovery: Flow = {
  name: 'a user resets a forgotten password',
  async play({ page, world, walker, ...scene }) {
    const email = await world.newUser();
    await scene.open('sign-in');
    await walker.fill(say('field.email-or-phone'), email);
    await walker.enter();
    await walker.press(say('sign-in.forgot'));
    await scene.arrives('page.recover');
    await until(() => page.locator('#email').inputValue(), email);
    await scene.state('recover');
    await walker.press(say('code.send'));
    await scene.arrives('page.code');
    await walker.fill(say('field.code'), await scene.code(email));
    await scene.arrives('page.new-password');
    await walker.fill(say('field.new-password'), password);
    await walker.enter();
    await scene.sees(say('error.same_password'));
    await scene.state('new-password, the same');
    await walker.fill(say('field.new-password'), 'another horse 2');
    await walker.enter();
    await scene.sees(say('security.as', { who: email }));
  },
};

const withWallet: Flow = {
  name: 'a user signs in with a wallet, after none was found and one was rejected',
  async play({ context, world, walker, ...scene }) {
    await scene.open('sign-in');
    await walker.press(say('sign-in.others'), 'DisclosureTriangle');
    await walker.press(say('sign-in.wallet'));
    await scene.sees(say('wallet.none'));
    await scene.state('wallets, none');
    const wallet = ethereumWallet();
    let refusals = 1;
    const ask = say('sign-in.with', { provider: 'Test Fox' });
    await installWallet(context, wallet, announcing, (message) => {
      if (refusals === 0) return message;
      refusals -= 1;
      throw new Error('the user said no');
    });
    const { search, verifier } = askAsApp(world);
    await scene.open('sign-in', search);
    await walker.press(say('sign-in.others'), 'DisclosureTriangle');
    await walker.press(say('sign-in.wallet'));
    await walker.tabTo(ask);
    await scene.state('wallets');
    await walker.press(ask);
    await scene.sees(say('error.wallet-refused'));
    await scene.state('wallets, refused');
    await walker.press(ask);
    await scene.page.waitForURL(`${world.appUrl}?**`);
    deepEqual(await redeem(world, scene.page.url(), verifier), { email: '', aal: 'aal1' });
    await scene.open('security');
    await scene.sees(say('security.as', { who: shortAddress(wallet) }));
    await scene.state('security, of a wallet');
  },
};

const lost: Flow = {
  name: 'an unknown address shows an error page',
  async play({ walker, ...scene }) {
    await scene.open('nowhere');
    await scene.arrives('page.error');
    await scene.state('error');
    await walker.press(say('error.home'));
    await scene.arrives('page.sign-in');
  },
};

export const waysIn: readonly Flow[] = [
  withPassword,
  withCode,
  withLink,
  withProvider,
  withOrganization,
  withPhone,
  withWallet,
  signUp,
  invitation,
  recovery,
  lost,
];
