/** Fetches the user's sessions and groups them by browser (`src/services/auth/sessions/own-sessions.ts`). */
import { appName } from '../consent/consent-request.ts';
import { hostOf } from '../flow.ts';
import { callAuth } from '../session.ts';
import { t } from '../text.ts';

export interface SessionEntry {
  readonly id: string;
  readonly created_at: string;
  readonly refreshed_at: string | null;
  readonly user_agent: string | null;
  readonly ip: string | null;
  readonly aal: string;
  readonly current: boolean;
  readonly browser: string | null;
  readonly app: { readonly name: string | null; readonly url: string | null } | null;
}

/** The sessions of one app in a browser. */
export interface AppSessions {
  readonly name: string;
  readonly ids: readonly string[];
}

export interface BrowserSessions {
  readonly key: string;
  readonly isCurrent: boolean;
  readonly ids: readonly string[];
  /** Whether the user is signed in to the Account pages in this browser. */
  readonly hasAccount: boolean;
  readonly apps: readonly AppSessions[];
  readonly userAgent: string | null;
  readonly lastSeen: string;
  readonly ip: string | null;
}

export async function listSessions(): Promise<SessionEntry[]> {
  return (await callAuth<{ sessions: SessionEntry[] }>('/user/sessions')).sessions;
}

/** Returns the apps of this browser in which the user is signed in. */
export async function appsHere(): Promise<readonly AppSessions[]> {
  return groupByBrowser(await listSessions()).find(({ isCurrent }) => isCurrent)?.apps ?? [];
}

/** Groups sessions by browser, with the current browser first and the other browsers by their last use. */
export function groupByBrowser(entries: readonly SessionEntry[]): readonly BrowserSessions[] {
  const groups = Map.groupBy(entries, ({ id, browser }) => browser ?? id);
  return [...groups]
    .map(([key, sessions]) => toGroup(key, sessions))
    .sort(
      (one, other) =>
        Number(other.isCurrent) - Number(one.isCurrent) || other.lastSeen.localeCompare(one.lastSeen),
    );
}

function toGroup(key: string, sessions: readonly SessionEntry[]): BrowserSessions {
  const inAccount = sessions.filter(({ app, browser }) => app === null && browser !== null);
  const byApp = Map.groupBy(
    sessions.filter(({ app }) => app !== null),
    ({ app }) => nameOf(app),
  );
  const newestFirst = [...sessions].sort((one, other) => lastSeen(other).localeCompare(lastSeen(one)));
  const [latest] = newestFirst as [SessionEntry, ...SessionEntry[]];
  // An app may refresh its session from a server, so the session of the Account pages describes the browser best.
  const shown = inAccount.find(({ current }) => current) ?? inAccount[0] ?? latest;
  return {
    key,
    isCurrent: sessions.some(({ current }) => current),
    ids: sessions.map(({ id }) => id),
    hasAccount: inAccount.length > 0,
    apps: [...byApp].map(([name, own]) => ({ name, ids: own.map(({ id }) => id) })),
    userAgent: shown.user_agent,
    lastSeen: lastSeen(latest),
    ip: shown.ip,
  };
}

function nameOf(app: SessionEntry['app']): string {
  if (app === null) return '';
  return app.name === null ? (hostOf(app.url ?? undefined) ?? t('consent.nameless')) : appName(app.name);
}

const lastSeen = ({ refreshed_at, created_at }: SessionEntry): string => refreshed_at ?? created_at;
