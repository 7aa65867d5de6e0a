/** Flows for a project that requires a second factor, a captcha for every form, and the current password. */
import { deepEqual } from 'node:assert/strict';
import { password, totp } from '../../harness.ts';
import type { Flow } from '../scene.ts';
import { say } from '../texts.ts';
import { askAsApp, redeem } from '../world.ts';

/**
 * The captcha widget, as its provider documents it (https://docs.hcaptcha.com/invisible). `render` returns an ID, and
 * `execute` returns a token. Like the original widget, this one adds a frame to the page.
 */
const fakeHcaptcha = `
  let loaded;
  globalThis.hcaptcha = {
    render(container, { sitekey, size }) {
      if (sitekey !== 'site-key' || size !== 'invisible') throw new Error('not as documented');
      const frame = document.createElement('iframe');
      frame.title = 'captcha';
      frame.src = 'https://newassets.hcaptcha.com/frame';
      frame.width = frame.height = '20';
      loaded = new Promise((resolve) => frame.addEventListener('load', resolve));
      container.append(frame);
      return 'widget-1';
    },
    async execute(id, { async: isAsync }) {
      if (id !== 'widget-1' || !isAsync) throw new Error('not as documented');
      await loaded;
      return { response: 'good-' + crypto.randomUUID() };
    },
    remove() {},
  };`;

const ofHcaptcha = /^https:\/\/[a-z]+\.hcaptcha\.com\//;

const withEveryRule: Flow = {
  name: 'a user signs in to an app with a captcha, and must first set up a second factor',
  loads: ofHcaptcha,
  async play(scene) {
    const { context, page, world, walker } = scene;
    const asked: string[] = [];
    await context.route('https://*.hcaptcha.com/**', (route) => {
      asked.push(new URL(route.request().url()).host);
      return route.fulfill(
        route.request().resourceType() === 'script'
          ? { contentType: 'text/javascript', body: fakeHcaptcha }
          : { contentType: 'text/html', body: '<title>captcha</title>' },
      );
    });
    const email = await world.newUser();
    const { search, verifier } = askAsApp(world);
    await scene.open('sign-in', search);
    await page.waitForLoadState('networkidle');
    // Opening a page doesn't contact the captcha provider.
    deepEqual(asked, []);
    await scene.signIn(email);
    await scene.arrives('page.two-step');
    deepEqual(asked, ['js.hcaptcha.com', 'newassets.hcaptcha.com']);
    await scene.sees(say('two-step.progress', { step: 1, steps: 3 }));
    await scene.state('two-step, choice');
    await walker.press(say('security.factor-add'));
    await scene.arrives('page.two-step-prove');
    await scene.state('two-step, name');
    await walker.press(say('security.cancel'));
    await scene.arrives('page.two-step');
    await walker.press(say('security.factor-add'));
    await walker.fill(say('field.factor-name'), 'Pocket phone');
    await walker.enter();
    await page.getByAltText(say('security.enroll-qr')).waitFor();
    const secret = (await page.locator('main code').first().innerText()).replaceAll(' ', '');
    await walker.fill(say('security.enroll-code'), totp(secret));
    await scene.arrives('page.two-step-codes');
    await scene.sees(say('two-step.progress', { step: 3, steps: 3 }));
    await walker.reaches(say('recovery.make'));
    await scene.state('two-step, recovery codes');
    await walker.enter();
    await scene.sees(say('recovery.shown-once'));
    await scene.state('two-step, recovery codes shown');
    await walker.press(say('recovery.kept'));
    await page.waitForURL(`${world.appUrl}?**`);
    deepEqual(await redeem(world, page.url(), verifier), { email, aal: 'aal2' });

    await scene.open('security');
    await walker.press(say('security.password-change'));
    await walker.reaches(say('field.current-password'));
    await walker.fill(say('field.current-password'), 'not this one');
    await walker.fill(say('field.new-password'), 'quite another 3');
    await walker.enter();
    await scene.sees(say('error.current_password_invalid'));
    await scene.state('security, current password wrong');
    await walker.fill(say('field.current-password'), password);
    await walker.enter();
    await scene.sees(say('security.password-saved'));
  },
};

const blockedCaptcha: Flow = {
  name: 'a captcha that can’t be loaded shows an error',
  loads: ofHcaptcha,
  async play({ context, walker, ...scene }) {
    await context.route('https://*.hcaptcha.com/**', (route) => route.abort());
    await scene.open('recover');
    await walker.fill(say('field.email'), 'one@example.com');
    await walker.enter();
    await scene.sees(say('error.captcha_failed'));
    await scene.state('recover, no captcha');
  },
};

export const underRules: readonly Flow[] = [withEveryRule, blockedCaptcha];
