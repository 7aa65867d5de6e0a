/** Groups of synonyms: words that operators search for, and words used in keys and help texts. */
const groups: readonly (readonly string[])[] = [
  ['login', 'log in', 'sign-in', 'signin'],
  ['register', 'registration', 'sign-up', 'signup'],
  ['2fa', 'two-factor', 'second factor', 'mfa', 'totp'],
  ['sso', 'saml', 'single sign-on'],
  ['text message', 'sms', 'phone'],
  ['mail', 'email', 'smtp'],
  ['throttle', 'rate limit', 'rate_limit'],
  ['domain', 'host', 'site_url', 'url'],
  ['callback', 'redirect'],
  ['captcha', 'bot', 'hcaptcha', 'turnstile'],
  ['token', 'jwt', 'session'],
  ['upload', 'file size', 'storage'],
  ['google', 'github', 'apple', 'provider', 'oauth', 'social'],
  ['certificate', 'https', 'tls', 'ssl'],
  ['logo', 'brand', 'branding', 'color'],
  ['backup', 'restore', 'archive'],
];

/** Returns the text and all its synonyms in lowercase. */
export function synonymsOf(text: string): readonly string[] {
  const lower = text.toLowerCase();
  const found = groups.filter((words) => words.includes(lower) && lower.length > 1);
  return [...new Set([lower, ...found.flat()])];
}
