/** The server side of the captcha's provider, as its documentation has it (https://docs.hcaptcha.com/#verify-the-user-response-server-side). */
import { createInternet, type Internet } from '../../auth/social/internet.ts';

/** Good answers are those that the widget of `flows/rules.ts` gives. */
export async function captchaInternet(): Promise<Internet> {
  const internet = await createInternet();
  internet.serve('hcaptcha.com/siteverify', ({ form }) => ({
    success: form.get('secret') === 'site-secret' && form.get('response')?.startsWith('good-') === true,
  }));
  return internet;
}
