/** The format of access tokens: `sbp_` and 40 hexadecimal digits, as in upstream's CLI 3.1. */

const format = /^sbp_[0-9a-f]{40}$/;

/** The number of random bytes in a token. */
export const tokenBytes = 20;

export const accessToken = (random: Buffer): string => `sbp_${random.toString('hex')}`;

export const isAccessToken = (text: string): boolean => format.test(text);

/**
 * Returns the token in an Authorization header (RFC 6750, section 2.1). Returns undefined if the header has a different
 * scheme or if the token has a different format.
 */
export function bearerToken(header: string | undefined): string | undefined {
  const token = /^bearer +(\S+) *$/i.exec(header ?? '')?.[1];
  return token !== undefined && isAccessToken(token) ? token : undefined;
}

const secondsPer = { h: 3600, d: 86_400, w: 604_800, y: 31_536_000 } as const;
/**
 * The maximum lifetime, which is ten years. Longer lifetimes are rejected as probable mistakes, because `never` is
 * available.
 */
const maxLifetimeSeconds = 10 * secondsPer.y;

/**
 * Parses a lifetime such as `90d`. Returns the number of seconds, null for `never`, or undefined if the text is
 * invalid.
 *
 * @example
 * parseLifetime('12h'); // 43200
 */
export function parseLifetime(text: string): number | null | undefined {
  if (text === 'never') return null;
  const [, count = '', unit = ''] = /^(\d{1,6})([hdwy])$/.exec(text) ?? [];
  const seconds = Number(count) * secondsPer[unit as keyof typeof secondsPer];
  return seconds > 0 && seconds <= maxLifetimeSeconds ? seconds : undefined;
}
