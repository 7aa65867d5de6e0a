/**
 * The project's captcha. The script is loaded from the provider once, when a form is first submitted, so that viewing a
 * page doesn't contact third parties. The widget appears at the bottom of the window, but only if the user must
 * interact with it.
 */
import type { PageConfig } from '../page-config.ts';

type Captcha = NonNullable<PageConfig['captcha']>;

interface Turnstile {
  render(
    container: HTMLElement,
    options: {
      sitekey: string;
      execution: 'execute';
      appearance: 'interaction-only';
      callback(token: string): void;
      'error-callback'(): void;
    },
  ): string;
  execute(container: HTMLElement): void;
  remove(id: string): void;
}

interface HCaptcha {
  render(container: HTMLElement, options: { sitekey: string; size: 'invisible' }): string;
  execute(id: string, options: { async: true }): Promise<{ response: string }>;
  remove(id: string): void;
}

const scripts = {
  turnstile: 'https://challenges.cloudflare.com/turnstile/v0/api.js?render=explicit',
  hcaptcha: 'https://js.hcaptcha.com/1/api.js?render=explicit',
} as const;

let loading: Promise<void> | undefined;

function load(address: string): Promise<void> {
  loading ??= new Promise((resolve, reject) => {
    const script = document.createElement('script');
    script.src = address;
    script.onload = () => resolve();
    script.onerror = () => {
      loading = undefined;
      script.remove();
      reject(new Error('The captcha could not be loaded.'));
    };
    document.head.append(script);
  });
  return loading;
}

/**
 * Returns a token for one request, or undefined if the provider doesn't issue a token. Without a token, the auth
 * service reports the error.
 */
export async function solveCaptcha({ provider, siteKey }: Captcha): Promise<string | undefined> {
  const container = document.createElement('div');
  container.style.cssText =
    'position:fixed;inset-block-end:1rem;inset-inline:0;margin-inline:auto;width:fit-content';
  document.body.append(container);
  try {
    await load(scripts[provider]);
    return await (provider === 'turnstile'
      ? runTurnstile(container, siteKey)
      : runHCaptcha(container, siteKey));
  } catch {
    return undefined;
  } finally {
    container.remove();
  }
}

async function runTurnstile(container: HTMLElement, sitekey: string): Promise<string> {
  const { turnstile } = globalThis as unknown as { turnstile: Turnstile };
  let id = '';
  try {
    return await new Promise<string>((resolve, reject) => {
      id = turnstile.render(container, {
        sitekey,
        execution: 'execute',
        appearance: 'interaction-only',
        callback: resolve,
        'error-callback': () => reject(new Error('The captcha failed.')),
      });
      turnstile.execute(container);
    });
  } finally {
    turnstile.remove(id);
  }
}

async function runHCaptcha(container: HTMLElement, sitekey: string): Promise<string> {
  const { hcaptcha } = globalThis as unknown as { hcaptcha: HCaptcha };
  const id = hcaptcha.render(container, { sitekey, size: 'invisible' });
  try {
    return (await hcaptcha.execute(id, { async: true })).response;
  } finally {
    hcaptcha.remove(id);
  }
}
