/**
 * Reads the parameters of a sign-in flow from the page's address. The parameters determine where the user goes next and
 * how the app receives its session.
 */
import { useSyncExternalStore } from 'react';

export interface Flow {
  readonly redirectTo: string | undefined;
  readonly codeChallenge: string | undefined;
  readonly codeChallengeMethod: string | undefined;
  /** The Account page to open next if the user doesn't return to an app. */
  readonly next: string | undefined;
  /** The ID of the app's request that the consent page shows. */
  readonly authorizationId: string | undefined;
  /** Whether the signed-in user must sign in again before a sensitive change. */
  readonly again: boolean;
  /** Whether the user is adding an account in a browser that already has other signed-in accounts. */
  readonly adds: boolean;
  /** The section of the security page for which the user started this flow. */
  readonly section: string | undefined;
  /** The part of the query that is passed from page to page, including the `?`. May be empty. */
  readonly search: string;
}

const carried = [
  'redirect_to',
  'code_challenge',
  'code_challenge_method',
  'next',
  'authorization_id',
  'add',
  'again',
  'section',
  'invitation',
  'organization',
] as const;
/** The format of a section name. `src/pages/account/arrival.ts` applies the same rule. */
const sectionShape = /^[a-z-]{1,20}$/;
/**
 * The allowed values of `next`. `app` isn't a page. The value `app` opens the app at `redirect_to`, without a code if
 * the request has no challenge.
 */
const nextPages = new Set(['security', 'new-password', 'join', 'consent', 'upgrade', 'app', 'organizations']);

export function parseFlow(search: string): Flow {
  const query = new URLSearchParams(search);
  const kept = new URLSearchParams();
  for (const name of carried) {
    const value = query.get(name);
    if (value !== null && value !== '') kept.set(name, value);
  }
  const next = kept.get('next') ?? undefined;
  const text = kept.toString();
  return {
    redirectTo: kept.get('redirect_to') ?? undefined,
    codeChallenge: kept.get('code_challenge') ?? undefined,
    codeChallengeMethod: kept.get('code_challenge_method') ?? undefined,
    next: next !== undefined && nextPages.has(next) ? next : undefined,
    authorizationId: kept.get('authorization_id') ?? undefined,
    again: kept.has('again'),
    adds: kept.has('add'),
    section: sectionShape.exec(kept.get('section') ?? '')?.[0],
    search: text === '' ? '' : `?${text}`,
  };
}

/**
 * Returns a short name for an app's address: the host of a website, or the scheme of a native app (RFC 8252, section
 * 7.1). Returns undefined for other addresses. `src/pages/account/core/return-to.ts` applies the same rule.
 */
export function hostOf(address: string | undefined): string | undefined {
  if (address === undefined || !URL.canParse(address)) return undefined;
  const { protocol, host } = new URL(address);
  if (protocol === 'http:' || protocol === 'https:') return host;
  const scheme = protocol.slice(0, -1);
  return scheme.includes('.') || address.startsWith('//', protocol.length) ? scheme : undefined;
}

/**
 * Copies the section name from the fragment of the page's URL to the query, because fragments aren't passed from page
 * to page. Must be called before the first page is shown.
 */
export function keepSection(): void {
  const address = new URL(window.location.href);
  const section = sectionShape.exec(address.hash.slice(1))?.[0];
  if (section === undefined || address.searchParams.has('section')) return;
  address.searchParams.set('section', section);
  window.history.replaceState(window.history.state, '', address);
}

/** Returns the path of the security page, with the flow's section in the query and the fragment. */
export const securityPath = ({ section }: Pick<Flow, 'section'>): string =>
  section === undefined ? '/security' : `/security?section=${section}#${section}`;

/** Returns the query for a page that confirms the user's identity and then redirects to the security page. */
export function backToSecurity({ section }: Pick<Flow, 'section'>): string {
  return `?next=security${section === undefined ? '' : `&section=${section}`}`;
}

/**
 * Returns the page about organizations on which the sign-in started. `src/pages/account/arrival.ts` applies the same
 * rule and validates the values.
 */
export function organizationsPath(search: string): string {
  const query = new URLSearchParams(search);
  const [invitation, organization] = [query.get('invitation'), query.get('organization')];
  for (const name of ['next', 'add', 'again']) query.delete(name);
  if (invitation) return `/account/organizations/join?${new URLSearchParams({ token: invitation })}`;
  return organization && /^[0-9a-f-]{36}$/.test(organization)
    ? `/account/organizations/${organization}`
    : `/account/organizations?${query}`;
}

/**
 * Returns the query for a page that confirms the user's identity and then returns to this page, which shows either the
 * account or an organization.
 */
export function backHere(): string {
  const id = /\/organizations\/([0-9a-f-]{36})$/.exec(window.location.pathname)?.[1];
  if (id === undefined) return backToSecurity(currentFlow());
  return `?${new URLSearchParams({ next: 'organizations', organization: id })}`;
}

const empty = parseFlow('');
let last: { address: string; flow: Flow } = { address: '', flow: empty };

export function currentFlow(): Flow {
  const { pathname, search } = window.location;
  const address = pathname + search;
  if (address !== last.address) {
    const flow = parseFlow(search);
    // After a sign-out, no parameters are passed on, because the app's sign-out request doesn't contain a challenge for
    // another sign-in.
    last = { address, flow: pathname.endsWith('/signed-out') ? { ...flow, search: '' } : flow };
  }
  return last.flow;
}

/**
 * Removes `add` from the page's address after the user has signed in to the added account. A user who returns to this
 * page later can continue without signing in again.
 */
export function endAdding(): Flow {
  if (currentFlow().adds) {
    const address = new URL(window.location.href);
    address.searchParams.delete('add');
    window.history.replaceState(window.history.state, '', address);
  }
  return currentFlow();
}

function onNavigation(listener: () => void): () => void {
  window.addEventListener('popstate', listener);
  return () => window.removeEventListener('popstate', listener);
}

/**
 * Returns the host of the app to which the user will return. The server writes the host into the page, so the host is
 * known at the first paint (`intro` in `src/pages/account/fill.ts`).
 */
export function useDestination(): string | undefined {
  const { redirectTo } = useSyncExternalStore(onNavigation, currentFlow, () =>
    import.meta.env.SSR ? empty : currentFlow(),
  );
  return hostOf(redirectTo);
}

/**
 * Returns the flow's parameters. The parameters are empty during hydration, because the page was prerendered without a
 * query.
 */
export function useFlow(): Flow {
  return useSyncExternalStore(onNavigation, currentFlow, () => empty);
}
