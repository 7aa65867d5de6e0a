/** A project that asks for more, by keyboard alone. The captcha's provider is played by the test, on both of its sides. */
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
