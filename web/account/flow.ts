/** What brought somebody here, read from the address: where they go afterwards, and how the app gets its session. */
import { useSyncExternalStore } from 'react';

export interface Flow {
  readonly redirectTo: string | undefined;
  readonly codeChallenge: string | undefined;
  readonly codeChallengeMethod: string | undefined;
  /** A page of ours to go to, when no app asked. */
  readonly next: string | undefined;
  /** The request of another app that the consent page is about. */
  readonly authorizationId: string | undefined;
  /** The query that goes along from page to page, `?` included; empty when there is none. */
  readonly search: string;
}

const carried = [
  'redirect_to',
  'code_challenge',
  'code_challenge_method',
  'next',
  'authorization_id',
] as const;
const nextPages = new Set(['security', 'new-password', 'consent', 'upgrade']);

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
    search: text === '' ? '' : `?${text}`,
  };
}

/**
 * An app's address for people: the host of a web page, the scheme of an app on the device (RFC 8252, section 7.1);
 * undefined when there is nothing to say (`src/account/core/host.ts` says the same).
 */
export function hostOf(address: string | undefined): string | undefined {
  if (address === undefined || !URL.canParse(address)) return undefined;
  const { protocol, host } = new URL(address);
  if (protocol === 'http:' || protocol === 'https:') return host;
  const scheme = protocol.slice(0, -1);
  return scheme.includes('.') || address.startsWith('//', protocol.length) ? scheme : undefined;
}

const empty = parseFlow('');
let last: { search: string; flow: Flow } = { search: '', flow: empty };

export function currentFlow(): Flow {
  const { search } = window.location;
  if (search !== last.search) last = { search, flow: parseFlow(search) };
  return last.flow;
}

function onNavigation(listener: () => void): () => void {
  window.addEventListener('popstate', listener);
  return () => window.removeEventListener('popstate', listener);
}

/** Where somebody goes afterwards. Known from the first paint on: the server writes it into the page (`lead.ts`). */
export function useDestination(): string | undefined {
  const { redirectTo } = useSyncExternalStore(onNavigation, currentFlow, () =>
    import.meta.env.SSR ? empty : currentFlow(),
  );
  return hostOf(redirectTo);
}

/** Empty while the page is hydrated, since it was prerendered without a query. */
export function useFlow(): Flow {
  return useSyncExternalStore(onNavigation, currentFlow, () => empty);
}
