/**
 * Returns a request target in origin form. A client that treats this server as a proxy sends `http://host/path`, which
 * servers must accept (RFC 9112 section 3.2.2). Services require that the request target begins with the path.
 *
 * @example originForm('http://127.0.0.1:54321/auth/v1/user?x=1'); // '/auth/v1/user?x=1'
 */
export function originForm(target: string): string {
  if (target.startsWith('/') || target === '*') return target;
  const rest = /^https?:\/\/[^/?#]*(.*)$/is.exec(target)?.[1];
  if (rest === undefined) return target;
  return rest.startsWith('/') ? rest : `/${rest}`;
}
