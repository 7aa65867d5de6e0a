/**
 * Flows for pages that are opened from emails and other websites: undoing a change, unlocking sign-in, confirming on
 * another device, and confirming a link from another site.
 */
import { equal } from 'node:assert/strict';
import { latestMail } from '../../mailbox.ts';
import type { Flow, Scene } from '../scene.ts';
import { say } from '../texts.ts';
import type { World } from '../world.ts';

/** Waits for an email that contains a link to this page, and returns the link. */
async function linkTo(world: World, to: string, page: string): Promise<string> {
  const shape = new RegExp(`http\\S+/account/${page}\\?token=\\S+`);
  const { text } = await latestMail(world.backend, to, /./, shape);
  return shape.exec(text)?.[0] ?? '';
}

const undo: Flow = {
  name: 'a user undoes a change with the link in a notice, which works once',
  async play({ page, world, walker, ...scene }) {
    const email = await scene.signedIn();
    await walker.press(say('security.password-change'));
    await walker.fill(say('field.new-password'), 'quite another 3');
    await walker.press(say('security.password-save'));
    await scene.sees(say('security.password-saved'));
    const link = await linkTo(world, email, 'not-me');
    await page.goto(link);
    await scene.arrives('page.not-me');
    await scene.state('not me');
    await walker.press(say('not-me.button'), 'button');
    await scene.arrives('page.secured');
    await scene.state('secured');
    await walker.press(say('secured.button'), 'link');
    await scene.arrives('page.recover');
    await page.goto(link);
    await scene.arrives('page.not-me-secured');
    await scene.state('not me, already secured');
    await page.goto(`${link.slice(0, -43)}${'A'.repeat(43)}`);
    await scene.sees(say('not-me-expired.text'));
    await scene.state('not me, expired');
    for (const name of ['secured-none', 'secured-sso']) {
      await scene.open(name);
      await scene.arrives('page.secured');
      await scene.state(name);
    }
    await walker.press(say('secured.sso-button'), 'link');
    await scene.arrives('page.sso');
  },
};

const unlock: Flow = {
  name: 'a user unlocks the sign-in after too many wrong passwords',
  async play({ page, world, walker, ...scene }) {
    const email = await world.newUser();
    // Attackers in many networks use up all sign-in attempts for the account.
    for (let site = 1, status = 400; status === 400; site += 1) {
      const response = await world.backend.fetch('/account/api/sign-in', {
        method: 'POST',
        headers: {
          'x-plinth-request': '1',
          'content-type': 'application/json',
          'x-forwarded-for': `10.7.${site}.1`,
        },
        body: JSON.stringify({ email, password: 'not this one' }),
      });
      status = response.status;
    }
    await scene.open('sign-in');
    await scene.signIn(email);
    await scene.sees(say('error.over_request_rate_limit'));
    await page.goto(await linkTo(world, email, 'unlock'));
    await scene.arrives('page.unlock');
    await scene.state('unlock');
    await walker.press(say('unlock.button'), 'button');
    await scene.arrives('page.unlocked');
    await scene.state('unlocked');
    await walker.press(say('unlocked.button'), 'link');
    await scene.arrives('page.sign-in');
    await scene.signIn(email);
    await scene.sees(say('security.as', { who: email }));
  },
};

const cancelChange: Flow = {
  name: 'the owner of the old address cancels a change that someone else made',
  async play({ page, world, walker, ...scene }) {
    const email = await scene.signedIn();
    const next = world.newEmail();
    await walker.press(say('security.email-change-what'));
    await walker.fill(say('security.email-new'), next);
    await walker.enter();
    await scene.sees(say('security.email-pending-both', { email: next, old: email }));
    await page.goto(await linkTo(world, email, 'cancel-change'));
    await scene.arrives('page.cancel-change');
    await scene.state('cancel a change');
    await walker.press(say('cancel-change.button'), 'button');
    await scene.arrives('page.change-canceled');
    await scene.state('change canceled');
    await walker.press(say('change-canceled.password'), 'link');
    await scene.arrives('page.recover');
    // This page is displayed after the change if the browser doesn't have a session.
    await scene.open('email-changed');
    await scene.arrives('page.email-changed');
    await scene.state('email changed');
  },
};

/**
 * Requests a code by email, then opens the email's link without the cookies of the window in which the code was
 * requested. Returns the number that was displayed in that window.
 */
async function openElsewhere({ context, page, world, walker, ...scene }: Scene): Promise<string> {
  const email = await world.newUser();
  await scene.open('code');
  await walker.fill(say('field.email'), email);
  await walker.enter();
  await scene.arrives('page.code');
  const [before = '', after = ''] = say('code.number', { number: 99 }).split('99');
  const text = await page.locator('main').innerText();
  const number = text.slice(text.indexOf(before) + before.length, text.indexOf(after, text.indexOf(before)));
  const link = await scene.link(email);
  await page.goto('about:blank');
  await context.clearCookies();
  await page.goto(link);
  await scene.arrives('page.confirm-number');
  return number;
}

const otherDevice: Flow = {
  name: 'a link is opened on another device and confirms the first window',
  async play(scene) {
    const number = await openElsewhere(scene);
    await scene.state('confirm the number');
    await scene.walker.fill(say('field.number'), number === '42' ? '43' : '42');
    await scene.walker.enter();
    await scene.sees(say('field.number-wrong'));
    await scene.state('confirm the number, wrong');
    await scene.walker.fill(say('field.number'), number);
    await scene.walker.enter();
    await scene.arrives('page.confirmed');
    await scene.state('confirmed elsewhere');
  },
};

const canceledLink: Flow = {
  name: 'a link that is opened elsewhere is canceled after three wrong numbers',
  async play(scene) {
    const number = await openElsewhere(scene);
    for (let count = 0; count < 3; count += 1) {
      await scene.walker.fill(say('field.number'), number === '42' ? '43' : '42');
      // The previous page shows the same error, so the error text doesn't prove that the next page has loaded.
      const loaded = scene.page.waitForEvent('load');
      await scene.walker.enter();
      await loaded;
      if (count < 2) await scene.sees(say('field.number-wrong'));
    }
    await scene.arrives('page.confirm-canceled');
    await scene.state('link canceled');
  },
};

const outsideLink: Flow = {
  name: 'a link on another website asks before it opens an identity provider',
  async play({ page, world, walker, ...scene }) {
    await page.goto(`${world.origin}/account/with?provider=keycloak`);
    await scene.arrives('page.with');
    await scene.state('with');
    await walker.press(say('sso.other'), 'link');
    await scene.arrives('page.sign-in');
    await page.goBack();
    await scene.arrives('page.with');
    await walker.press(say('with.button', { connection: 'Keycloak' }), 'button');
    await page.waitForURL((url) => url.origin !== world.origin);
  },
};

const guestAccount: Flow = {
  name: 'a guest is asked before the account is removed from the browser',
  async play({ page, walker, ...scene }) {
    await scene.startsAsGuest();
    await scene.open('accounts');
    await scene.arrives('page.accounts');
    await scene.state('accounts, of a guest');
    const remove = `${say('accounts.sign-out')}: ${say('accounts.guest-name')}`;
    await walker.press(remove, 'button');
    await scene.arrives('page.leave-guest');
    await scene.state('leave guest, from the accounts');
    await walker.press(say('guest.leave-cancel'), 'link');
    await scene.arrives('page.accounts');
    await walker.press(remove, 'button');
    await scene.arrives('page.leave-guest');
    await walker.press(say('guest.leave'), 'button');
    await scene.arrives('page.sign-in');
    equal(new URL(page.url()).pathname, '/account/sign-in');
  },
};

export const fromOutside: readonly Flow[] = [
  undo,
  unlock,
  cancelChange,
  otherDevice,
  canceledLink,
  outsideLink,
  guestAccount,
];
