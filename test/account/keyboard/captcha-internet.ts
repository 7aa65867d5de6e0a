/**
 * Simulates the captcha provider's server as documented
 * (https://docs.hcaptcha.com/#verify-the-user-response-server-side).
 */
import { createInternet, type Internet } from '../../auth/social/internet.ts';

/** Only the tokens from the widget in `flows/rules.ts` are valid. */
export async function captchaInternet(): Promise<Internet> {
  const internet = await createInternet();
  internet.serve('hcaptcha.com/siteverify', ({ form }) => ({
    success: form.get('secret') === 'site-secret' && form.get('response')?.startsWith('good-') === true,
  }));
  return internet;
}
