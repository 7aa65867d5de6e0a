/** Flows for tasks on the security page, and the confirmations that they require. */
import { deepEqual, equal, match } from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import type { CDPSession } from 'playwright-core';
import { callAccount, laterTotp, password, startSession, totp } from '../../harness.ts';
import type { Flow, Scene } from '../scene.ts';
import { say } from '../texts.ts';
import { until } from '../until.ts';
import { askAsApp, redeem } from '../world.ts';
import { atProvider } from './sign-in.ts';

const newAddress: Flow = {
  name: 'an address change is canceled, then confirmed at both addresses',
  async play({ page, world, walker, ...scene }) {
    const email = await scene.signedIn();
    const next = world.newEmail();
    await walker.press(say('security.email-change-what'));
    await walker.reaches(say('security.email-new'));
    await walker.fill(say('security.email-new'), 'nonsense');
    await walker.enter();
    await scene.sees(say('field.email-wrong'));
    await scene.state('security, new address');
    await walker.fill(say('security.email-new'), next);
    await walker.enter();
    await scene.sees(say('security.email-pending-both', { email: next, old: email }));
    await scene.state('security, address waits');
    await walker.press(say('pending.resend'));
    await scene.sees(say('pending.resent'));
    await walker.press(say('pending.cancel'));
    await scene.sees(say('pending.canceled'));
    await scene.state('security, change canceled');
    await walker.press(say('security.email-change-what'));
    await walker.fill(say('security.email-new'), next);
    await walker.enter();
    await scene.sees(say('security.email-pending-both', { email: next, old: email }));
    // Three emails with links are sent, and only the last link is valid.
    for (let sent = 0; sent < 2; sent += 1) await scene.link(next);
    await page.goto(await scene.link(next));
    await scene.state('confirm the new address');
    await walker.press(say('confirm.email_change-button'));
    await scene.arrives('page.confirm-other');
    await scene.state('confirm at the other address');
    for (let sent = 0; sent < 2; sent += 1) await scene.link(email);
    await page.goto(await scene.link(email));
    await walker.press(say('confirm.email_change-button'));
    await scene.sees(say('security.email-changed', { email: next }));
    await scene.sees(say('security.as', { who: next }));
  },
};

const newNumber: Flow = {
  name: 'a phone number is added, canceled and confirmed',
  async play({ world, walker, ...scene }) {
    await scene.signedIn();
    const phone = world.newPhone();
    await walker.press(say('phone.add'));
    await walker.reaches(say('phone.new'));
    await walker.fill(say('phone.new'), '12');
    await walker.enter();
    await scene.sees(say('field.phone-wrong'));
    await scene.state('security, new number');
    await walker.fill(say('phone.new'), `+${phone}`);
    await walker.enter();
    await scene.sees(say('phone.pending', { phone: `+${phone}` }));
    await walker.reaches(say('pending.code', { to: `+${phone}` }));
    await scene.state('security, number waits');
    await scene.code(phone);
    await walker.press(say('pending.cancel'));
    await scene.sees(say('pending.canceled'));
    await walker.press(say('phone.add'));
    await walker.fill(say('phone.new'), `+${phone}`);
    await walker.enter();
    await walker.fill(say('pending.code', { to: `+${phone}` }), '000000');
    await scene.sees(say('error.otp_expired'));
    await walker.fill(say('pending.code', { to: `+${phone}` }), await scene.code(phone));
    await scene.sees(say('phone.changed', { phone: `+${phone}` }));
    await walker.reaches(say('phone.change-what'));
    await scene.state('security, number confirmed');
  },
};

const newPassword: Flow = {
  name: 'a password is changed after a recent sign-in',
  async play({ context, page, walker, ...scene }) {
    const email = await scene.startsSession();
    await context.clock.setFixedTime(Date.now() + 20 * 60_000);
    await scene.open('security');
    await walker.press(say('security.password-change'));
    await scene.sees(say('reconfirm.intro'));
    await walker.reaches(say('field.password'));
    await scene.state('security, confirm identity');
    await walker.type('not this one');
    await walker.enter();
    await scene.sees(say('error.invalid_credentials'));
    // A user who cancels is where they were.
    await page.keyboard.press('Escape');
    await walker.reaches(say('security.password-change'));
    await walker.enter();
    await walker.press(say('reconfirm.email-code'));
    await scene.sees(say('reconfirm.email-sent', { email, length: 6 }));
    await walker.reaches(say('field.code'));
    await scene.state('security, confirm identity by code');
    await walker.type(await scene.code(email));
    await walker.reaches(say('field.new-password'));
    await context.clock.setFixedTime(Date.now());
    await walker.fill(say('field.new-password'), 'short');
    await walker.enter();
    await scene.sees(say('field.password-weak'));
    await scene.state('security, new password');
    await walker.fill(say('field.new-password'), password);
    await walker.enter();
    await scene.sees(say('error.same_password'));
    await walker.fill(say('field.new-password'), 'quite another 3');
    await walker.press(say('security.password-save'));
    await scene.sees(say('security.password-saved'));
    await walker.reaches(say('security.password-change'));
  },
};

/** Sets up an authenticator app on the security page and returns its secret. */
export async function enroll({ page, walker, ...scene }: Scene, name: string): Promise<string> {
  await walker.press(say('security.factor-add'));
  await walker.fill(say('field.factor-name'), name);
  await walker.enter();
  await page.getByAltText(say('security.enroll-qr')).waitFor();
  // The new step has focus, so screen readers announce it.
  await until(() => page.evaluate(() => document.activeElement?.textContent), say('security.enroll-scan'));
  await scene.state('security, authenticator to be proven');
  const secret = (await page.locator('main code').first().innerText()).replaceAll(' ', '');
  match(secret, /^[A-Z2-7]{16,}$/);
  await walker.fill(say('security.enroll-code'), '000000');
  await scene.sees(say('error.mfa_verification_failed'));
  await walker.fill(say('security.enroll-code'), totp(secret));
  await scene.sees(say('factor.ready'));
  return secret;
}

const authenticator: Flow = {
  name: 'an authenticator app is set up, required twice, and removed',
  async play(scene) {
    const { context, page, world, walker } = scene;
    const email = await scene.signedIn();
    const secret = await enroll(scene, 'Pocket phone');
    await scene.sees(say('recovery.last-step'));
    await walker.reaches(say('recovery.make'));
    await scene.state('security, with an authenticator');
    await scene.signOut();
    await scene.state('signed out');

    const { search, verifier } = askAsApp(world);
    await scene.open('sign-in', search);
    await scene.signIn(email);
    await scene.arrives('page.mfa');
    await scene.state('mfa');
    await walker.fill(say('field.code'), '000000');
    await scene.sees(say('error.mfa_verification_failed'));
    await scene.state('mfa, wrong code');
    await walker.fill(say('field.code'), laterTotp(secret));
    await page.waitForURL(`${world.appUrl}?**`);
    deepEqual(await redeem(world, page.url(), verifier), { email, aal: 'aal2' });

    await context.clock.setFixedTime(Date.now() + 20 * 60_000);
    await scene.open('security');
    await walker.press(say('factor.remove-what', { name: 'Pocket phone' }));
    await scene.sees(say('reconfirm.intro'));
    await walker.reaches(say('field.code'));
    await scene.state('security, confirm identity by factor');
    // All other ways are on a page.
    await walker.press(say('reconfirm.other'), 'link');
    await scene.sees(say('mfa.again'));
    await scene.state('mfa, once more');
    await context.clock.setFixedTime(Date.now());
    await walker.press(say('mfa.leave'));
    await scene.arrives('page.sign-in');
    await scene.signIn(email);
    await scene.arrives('page.mfa');
    await scene.state('mfa, after a sign-in');
  },
};

/** Opens the security page for a new user who has set up an authenticator app. */
export async function signedInWithApp(
  { page, world, ...scene }: Scene,
  name: string,
): Promise<{ email: string }> {
  const email = await world.newUser();
  const account = { url: world.origin };
  const token = await startSession(page, account, email);
  const response = await world.backend.fetch('/auth/v1/factors', {
    method: 'POST',
    headers: {
      apikey: world.backend.keys.publishableKey,
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
    },
    body: JSON.stringify({ factor_type: 'totp', friendly_name: name }),
  });
  const factor = (await response.json()) as { id: string; totp: { secret: string } };
  const code = totp(factor.totp.secret);
  await callAccount(page, account, 'factor', { factor_id: factor.id, code });
  await scene.open('security');
  await scene.sees(say('security.as', { who: email }));
  return { email };
}

const recoveryCodes: Flow = {
  name: 'recovery codes are generated and saved, one is used, and the authenticator is removed',
  async play(scene) {
    const { page, walker } = scene;
    const { email } = await signedInWithApp(scene, 'Lost phone');
    await walker.press(say('recovery.make'));
    await scene.sees(say('recovery.shown-once'));
    await scene.state('security, recovery codes');
    const codes = await page.locator('ol code').allInnerTexts();
    equal(codes.length, 10);
    await walker.tabTo(say('recovery.download'));
    await walker.press(say('ui.copy-what', { what: say('recovery.codes') }));
    await scene.sees(say('ui.copied'));
    await walker.press(say('recovery.kept'));
    await scene.sees(say('recovery.left', { remaining: 10, total: 10 }));
    await scene.signOut();

    await scene.open('sign-in');
    await scene.signIn(email);
    await scene.arrives('page.mfa');
    await walker.press(say('mfa.use-recovery'));
    await walker.reaches(say('mfa.recovery-code'));
    await walker.fill(say('mfa.recovery-code'), 'abcd-abcd-abcd-abcd');
    await walker.enter();
    await scene.sees(say('mfa.recovery-wrong'));
    await scene.state('mfa, wrong recovery code');
    await walker.fill(say('mfa.recovery-code'), codes[3] ?? '');
    await walker.enter();
    await scene.arrives('page.recovery-used');
    await scene.sees(say('recovery-used.text', { left: 9 }));
    await scene.state('mfa, recovery code used');
    await walker.press(say('recovery-used.replace'));
    await scene.sees(say('recovery.left', { remaining: 9, total: 10 }));
    await walker.press(say('factor.remove-what', { name: 'Lost phone' }));
    await walker.reaches(say('security.factor-keep'));
    await scene.state('security, authenticator about to go');
    await walker.press(say('security.factor-keep'));
    await walker.press(say('factor.remove-what', { name: 'Lost phone' }));
    await walker.press(say('security.factor-remove'), 'button');
    await scene.sees(say('factor.removed'));
    await scene.state('security, authenticator removed');
  },
};

const phoneFactor: Flow = {
  name: 'a phone is used as a second factor',
  async play({ world, walker, ...scene }) {
    const email = await scene.signedIn();
    const phone = world.newPhone();
    await walker.press(say('factor.add-phone'));
    await scene.state('security, phone to be added');
    await walker.fill(say('field.phone'), `+${phone}`);
    await walker.enter();
    await scene.sees(say('mfa.phone-sent', { name: `+${phone}`, length: 6 }));
    await walker.reaches(say('field.code'));
    await scene.state('security, phone to be proven');
    await walker.fill(say('field.code'), await scene.code(phone));
    await scene.sees(say('factor.ready'));
    await scene.signOut();
    await scene.open('sign-in');
    await scene.signIn(email);
    await scene.sees(say('mfa.phone-intro', { name: `+${phone}` }));
    await scene.state('mfa by phone');
    await walker.press(say('mfa.phone-send'));
    await scene.sees(say('mfa.phone-sent', { name: `+${phone}`, length: 6 }));
    await scene.state('mfa by phone, sent');
    await walker.fill(say('field.code'), await scene.code(phone));
    await scene.sees(say('security.as', { who: email }));
  },
};

/** Adds a software authenticator to the browser. */
async function addAuthenticator({ context, page }: Scene, kind: 'device' | 'stick'): Promise<CDPSession> {
  const cdp = await context.newCDPSession(page);
  await cdp.send('WebAuthn.enable');
  const isDevice = kind === 'device';
  await cdp.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      ctap2Version: 'ctap2_1',
      transport: isDevice ? 'internal' : 'usb',
      hasResidentKey: isDevice,
      hasUserVerification: isDevice,
      isUserVerified: isDevice,
      automaticPresenceSimulation: true,
    },
  });
  return cdp;
}

const securityKey: Flow = {
  name: 'a security key is used as a second factor',
  async play(scene) {
    const { walker } = scene;
    await addAuthenticator(scene, 'stick');
    const email = await scene.signedIn();
    await walker.press(say('factor.add-key'));
    await walker.fill(say('factor.key-name'), 'Blue stick');
    await scene.state('security, key to be added');
    await walker.enter();
    await scene.sees(say('factor.ready'));
    await scene.signOut();
    await scene.open('sign-in');
    await scene.signIn(email);
    await scene.sees(say('mfa.key-intro', { name: 'Blue stick' }));
    await scene.state('mfa with a key');
    await walker.press(say('mfa.key-submit'));
    await scene.sees(say('security.as', { who: email }));
  },
};

const passkey: Flow = {
  name: 'a passkey is added, renamed, used and removed',
  async play(scene) {
    const { page, walker } = scene;
    const device = await addAuthenticator(scene, 'device');
    const email = await scene.signedIn();
    await walker.press(say('passkey.add'));
    await scene.sees(say('passkey.ready'));
    // The virtual authenticator's model is unknown, so the passkey is named after the browser and the operating system.
    const name = say('security.device', { browser: 'Chrome', system: 'Linux' });
    await walker.press(say('passkey.rename-what', { name }));
    await walker.fill(say('passkey.name'), 'My laptop');
    await scene.state('security, passkey to be renamed');
    await walker.enter();
    await scene.sees(say('passkey.renamed', { name: 'My laptop' }));
    await scene.state('security, a passkey');
    await scene.signOut();
    // The test browser may use its only passkey as soon as the field offers passkeys, so the button may be gone.
    await scene.open('sign-in');
    await walker.press(say('sign-in.passkey')).catch(() => undefined);
    await scene.sees(say('security.as', { who: email }));
    await walker.press(`${say('security.factor-remove')} My laptop`);
    await walker.press(say('security.factor-remove'), 'button');
    await scene.sees(say('passkey.removed'));
    await scene.sees(say('passkey.none'));
    await device.detach();
    await until(
      () => page.locator('body').evaluate((body) => body.ownerDocument.activeElement === body),
      false,
    );
  },
};

const linked: Flow = {
  name: 'an account at a provider is linked and unlinked',
  async play({ page, world, walker, ...scene }) {
    const email = await scene.signedIn();
    const login = email.replace(/@.*/, '-linked');
    world.accounts.set(login, { email: `${login}@idp.example`, email_verified: true, name: 'Cy' });
    await walker.press(say('identity.link', { name: 'Keycloak' }));
    await atProvider({ page, walker }, login);
    await scene.sees(say('identity.linked', { name: 'Keycloak' }));
    await scene.state('security, an account linked');
    await walker.press(`${say('identity.unlink')} Keycloak`);
    await scene.sees(say('identity.unlink-ask', { name: 'Keycloak' }));
    await scene.state('security, account about to be unlinked');
    await walker.press(say('identity.unlink'), 'button');
    await scene.sees(say('identity.unlinked', { name: 'Keycloak' }));
  },
};

const sessions: Flow = {
  name: 'one session is ended, then all others, which show a notice',
  async play({ context, page, world, walker, ...scene }) {
    const email = await scene.startsSession();
    const elsewhere = await Promise.all(
      Array.from({ length: 3 }, async () => {
        const other = await (
          context.browser() as NonNullable<ReturnType<typeof context.browser>>
        ).newContext();
        const tab = await other.newPage();
        await startSession(tab, { url: world.origin }, email);
        return tab;
      }),
    );
    await scene.open('security');
    const device = say('security.device', { browser: 'Chrome', system: 'Linux' });
    await walker.tabTo(new RegExp(`^${RegExp.escape(say('security.session-end-what', { device }))} · `));
    await scene.state('security, several sessions');
    await walker.enter();
    await scene.sees(say('security.session-ended'));
    await walker.press(say('security.sessions-others'));
    await scene.sees(say('security.sessions-ended'));
    await scene.state('security, other sessions ended');
    for (const tab of elsewhere) {
      await tab.goto(`${world.origin}/account/security`);
      await tab.waitForURL('**/account/sign-in**');
      await tab.context().close();
    }
  },
};

const endedElsewhere: Flow = {
  name: 'a session that was ended elsewhere shows a notice',
  async play({ context, page, world, walker, ...scene }) {
    const email = await scene.signedIn();
    const other = await context.newPage();
    await other.goto(`${world.origin}/account/security`);
    await other.getByText(say('security.as', { who: email })).waitFor();
    await other
      .getByRole('button', { name: say('security.sign-out'), exact: true })
      .first()
      .press('Enter');
    await other.getByRole('heading', { level: 1, name: say('page.signed-out') }).waitFor();
    await other.close();
    await page.bringToFront();
    await scene.sees(say('ended.other'));
    await scene.state('sign-in, session ended elsewhere');
    await scene.signIn(email);
    await scene.sees(say('security.as', { who: email }));
  },
};

const ownData: Flow = {
  name: 'the data is downloaded and the account deleted',
  async play({ page, world, walker, ...scene }) {
    const email = await scene.signedIn();
    const downloading = page.waitForEvent('download');
    await walker.press(say('data.download'));
    const download = await downloading;
    equal(download.suggestedFilename(), 'account.json');
    const data = JSON.parse(readFileSync(await download.path(), 'utf8')) as { user: { email: string } };
    equal(data.user.email, email);
    await scene.sees(say('data.saved'));
    await walker.press(say('data.delete'));
    await walker.reaches(say('data.delete-type', { who: email }));
    await walker.type('another text');
    await walker.enter();
    await scene.sees(say('data.delete-mismatch', { who: email }));
    await scene.state('security, deleting the account');
    await walker.fill(say('data.delete-type', { who: email }), email);
    await walker.press(say('data.delete-confirm'));
    await scene.sees(say('data.deleted'));
    await scene.state('security, account deleted');
    await walker.press(say('data.deleted-on'), 'link');
    await scene.arrives('page.sign-in');
    await walker.fill(say('field.email-or-phone'), email);
    await walker.enter();
    await scene.sees(say('sign-up.unknown'));
  },
};

export const onTheSecurityPage: readonly Flow[] = [
  newAddress,
  newNumber,
  newPassword,
  authenticator,
  recoveryCodes,
  phoneFactor,
  securityKey,
  passkey,
  linked,
  sessions,
  endedElsewhere,
  ownData,
];
