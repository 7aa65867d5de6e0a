/** Removes secrets from query strings, because readers of the log might not be allowed to use them. */

/** The names of parameters whose values might grant access. */
const secretName =
  /key|token|code|secret|password|passwd|pwd|signature|credential|jwt|hash|nonce|assertion|session|saml|otp|verifier|authorization|^sig$|^state$/i;

const maxChars = 2000;

/**
 * Replaces the values of secret parameters in a query string.
 *
 * @example cutSecrets('select=id&apikey=sb_1') // 'select=id&apikey=…'
 */
export function cutSecrets(query: string): string {
  const cut = query
    .slice(0, maxChars)
    .split('&')
    .map((pair) => {
      const equals = pair.indexOf('=');
      if (equals < 0) return pair;
      return secretName.test(decoded(pair.slice(0, equals))) ? `${pair.slice(0, equals)}=…` : pair;
    })
    .join('&');
  return query.length > maxChars ? `${cut}…` : cut;
}

/** Decodes a parameter name, which may be percent-encoded. */
function decoded(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return `${name}key`;
  }
}
