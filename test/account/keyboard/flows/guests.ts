/** Flows for guests: starting a session, saving the account, and moving their data to an existing account. */
import { deepEqual } from 'node:assert/strict';
import { password } from '../../harness.ts';
import type { Flow } from '../scene.ts';
import { say } from '../texts.ts';
import { askAsApp, redeem } from '../world.ts';

const kept: Flow = {
  name: 'a guest of an app saves the account',
  async play({ page, world, walker, ...scene }) {
    const email = world.newEmail();
    const taken = await world.newUser();
    const { search } = askAsApp(world);
    await scene.open('guest', search);
    await scene.state('guest');
    await walker.press(say('sign-in.guest'), 'button');
    await page.waitForURL(`${world.appUrl}?**`);
    await scene.open('security');
    await scene.sees(say('security.guest-intro'));
    await scene.state('security, of a guest');
    const back = askAsApp(world);
    await scene.open('upgrade', back.search);
    await scene.sees(say('upgrade.intro'));
    await scene.state('upgrade');
    await walker.fill(say('field.email'), taken);
    await walker.fill(say('field.password'), password);
    await walker.press(say('upgrade.submit'));
    await scene.sees(say('error.email_exists'));
    await scene.state('upgrade, address taken');
    await walker.fill(say('field.email'), email);
    await walker.press(say('upgrade.submit'));
    await scene.sees(say('upgrade.sent', { email, length: 6 }));
    await scene.state('upgrade, address waits');
    await walker.fill(say('field.code'), await scene.code(email));
    await scene.sees(say('upgrade.done', { who: email }));
    await scene.state('upgraded');
    await walker.press(say('sign-in.continue-to', { host: new URL(world.appUrl).host }));
    await page.waitForURL(`${world.appUrl}?**`);
    deepEqual(await redeem(world, page.url(), back.verifier), { email, aal: 'aal1' });
  },
};

const brought: Flow = {
  name: 'a guest moves all data to an existing account',
  async play({ world, walker, ...scene }) {
    const email = await world.newUser();
    await scene.open('sign-in');
    await walker.press(say('sign-in.others'), 'DisclosureTriangle');
    await walker.press(say('sign-in.guest'), 'button');
    await scene.sees(say('security.guest-intro'));
    await walker.press(say('security.guest-keep'));
    await scene.arrives('page.upgrade');
    await walker.press(say('upgrade.elsewhere'));
    await scene.arrives('page.sign-in');
    await scene.signIn(email);
    await scene.sees(say('hand-over.text', { who: email }));
    await scene.state('bring it along');
    await walker.press(say('hand-over.submit'));
    await scene.sees(say('hand-over.done', { who: email }));
    await scene.state('brought along');
    await walker.press(say('sign-in.continue'));
    await scene.arrives('page.security');
  },
};

export const guests: readonly Flow[] = [kept, brought];
