/**
 * Tests a stricter project with the keyboard alone. The test simulates both the widget and the server of the captcha
 * provider.
 */
import { afterAll, beforeAll } from 'vitest';
import type { Internet } from '../../auth/social/internet.ts';
import { captchaInternet } from './captcha-internet.ts';
import { underRules } from './flows/rules.ts';
import { inFourLooks } from './in-four-looks.ts';
import { openStrictWorld } from './world.ts';

let internet: Internet;
beforeAll(async () => {
  internet = await captchaInternet();
});
afterAll(() => internet.stop());

inFourLooks(underRules, () => openStrictWorld(internet.outgoing));
