/** A project that asks for more, by keyboard alone. The captcha's provider is played by the test, on both of its sides. */
import { afterAll, beforeAll } from 'vitest';
import { createInternet, type Internet } from '../../auth/social/internet.ts';
import { underRules } from './flows/rules.ts';
import { inFourLooks } from './in-four-looks.ts';
import { openStrictWorld } from './world.ts';

let internet: Internet;
beforeAll(async () => {
  internet = await createInternet();
  internet.serve('hcaptcha.com/siteverify', ({ form }) => ({
    success: form.get('secret') === 'site-secret' && form.get('response')?.startsWith('good-') === true,
  }));
});
afterAll(() => internet.stop());

inFourLooks(underRules, () => openStrictWorld(internet.outgoing));
