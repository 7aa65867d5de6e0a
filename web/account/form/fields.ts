/** Validates input for the user's convenience. The server validates all input again. */

export function looksLikeEmail(text: string): boolean {
  return /^[^\s@]+@[^\s@]+\.[^\s@.]+$/.test(text);
}

/**
 * Returns the digits of a phone number in international form (E.164) without `+`, or undefined if the text isn't a
 * phone number.
 */
export function phoneOf(text: string): string | undefined {
  const digits = text.replace(/[\s().+/-]/g, '').replace(/^00/, '');
  return /^[1-9][0-9]{6,14}$/.test(digits) ? digits : undefined;
}

/** Reads an account's address: an email address or, if `takesPhone` is set, a phone number. */
export function addressIn(
  text: string,
  takesPhone: boolean,
): { readonly email: string } | { readonly phone: string } | undefined {
  if (looksLikeEmail(text)) return { email: text };
  const phone = takesPhone ? phoneOf(text) : undefined;
  return phone === undefined ? undefined : { phone };
}

export const domainIn = (email: string): string => email.slice(email.lastIndexOf('@') + 1).toLowerCase();

export type PasswordRule = 'length' | 'letter' | 'lower' | 'upper' | 'digit' | 'symbol';

const symbols = '!@#$%^&*()_+-=[]{};\'\\:"|<>?,./`~';
const tests: Readonly<Record<Exclude<PasswordRule, 'length'>, (password: string) => boolean>> = {
  letter: (password) => /[a-z]/i.test(password),
  lower: (password) => /[a-z]/.test(password),
  upper: (password) => /[A-Z]/.test(password),
  digit: (password) => /[0-9]/.test(password),
  symbol: (password) => [...password].some((character) => symbols.includes(character)),
};

/** The rules of `password_requirements` in config.toml, in display order. */
const required: Readonly<Record<string, readonly Exclude<PasswordRule, 'length'>[]>> = {
  letters_digits: ['letter', 'digit'],
  lower_upper_letters_digits: ['lower', 'upper', 'digit'],
  lower_upper_letters_digits_symbols: ['lower', 'upper', 'digit', 'symbol'],
};

export interface PasswordPolicy {
  readonly minLength: number;
  readonly requirements: string;
}

export function checkPassword(
  password: string,
  { minLength, requirements }: PasswordPolicy,
): readonly { readonly rule: PasswordRule; readonly met: boolean }[] {
  // The length is counted in bytes, as in the auth service.
  const length = new TextEncoder().encode(password).length;
  return [
    { rule: 'length', met: length >= minLength },
    ...(required[requirements] ?? []).map((rule) => ({ rule, met: tests[rule](password) })),
  ];
}

export function isGoodPassword(password: string, policy: PasswordPolicy): boolean {
  return checkPassword(password, policy).every(({ met }) => met);
}

/**
 * Returns the digits in typed or pasted text ("Your code: 123 456"), including digits from Arabic and Persian
 * keyboards.
 */
export function digitsOf(text: string, length: number): string {
  return text
    .replace(/[٠-٩۰-۹]/g, (digit) => String((digit.codePointAt(0) ?? 0) & 15))
    .replace(/\D/g, '')
    .slice(0, length);
}

/** Returns the names of the browser and the operating system from a User-Agent header, for the session list. */
export function deviceOf(userAgent: string | null): { browser: string; system: string } | undefined {
  if (userAgent === null) return undefined;
  const browser = browsers.find(([, pattern]) => pattern.test(userAgent))?.[0];
  const system = systems.find(([, pattern]) => pattern.test(userAgent))?.[0];
  return browser === undefined || system === undefined ? undefined : { browser, system };
}

// The order matters because most browsers also include "Chrome" or "Safari" in their User-Agent header.
const browsers: readonly (readonly [string, RegExp])[] = [
  ['Edge', /Edg(e|A|iOS)?\//],
  ['Opera', /OPR\//],
  ['Samsung Internet', /SamsungBrowser\//],
  ['Firefox', /(Firefox|FxiOS)\//],
  ['Chrome', /(Chrome|CriOS|HeadlessChrome)\//],
  ['Safari', /Safari\//],
];
const systems: readonly (readonly [string, RegExp])[] = [
  ['Android', /Android/],
  ['iOS', /iPhone|iPad|iPod/],
  ['Windows', /Windows/],
  ['macOS', /Mac OS X|Macintosh/],
  ['ChromeOS', /CrOS/],
  ['Linux', /Linux/],
];
