/** Checks the HS256 signature and the expiry of tokens. Caches verified tokens, as Plinth does. */
import { createHmac, timingSafeEqual } from 'node:crypto';

const known = new Map();

export function claimsOf(authorization = '') {
  let claims = known.get(authorization);
  if (claims === undefined) {
    claims = verify(authorization.replace('Bearer ', ''));
    known.set(authorization, claims);
  }
  if (claims.exp * 1000 < Date.now()) throw new Error('expired');
  return claims;
}

function verify(token) {
  const [head, body, signature = ''] = token.split('.');
  const expected = createHmac('sha256', process.env.JWT_SECRET).update(`${head}.${body}`).digest();
  if (!timingSafeEqual(expected, Buffer.from(signature, 'base64url'))) throw new Error('wrong signature');
  const text = Buffer.from(body, 'base64url').toString();
  const { role, exp } = JSON.parse(text);
  return { text, role, exp };
}
