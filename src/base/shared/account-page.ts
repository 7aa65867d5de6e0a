/** Matches host names that refer to this machine. Two such names are treated as equal. */
const loopback = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/;

/**
 * Whether the address belongs to an Account page. Account pages trust requests from each other, so an app must not be
 * able to redirect users to such a page. The scheme isn't compared, because a proxy may redirect from one scheme to the
 * other.
 *
 * @example isAccountPage('https://api.example.com/account/with', 'https://api.example.com/account') // true
 */
export function isAccountPage(address: string, accountUrl: string): boolean {
  if (!URL.canParse(address)) return false;
  const [target, own] = [new URL(address), new URL(accountUrl)];
  const nameOf = ({ hostname }: URL) => (loopback.test(hostname) ? 'localhost' : hostname);
  if (nameOf(target) !== nameOf(own) || target.port !== own.port) return false;
  return target.pathname === own.pathname || target.pathname.startsWith(`${own.pathname}/`);
}
