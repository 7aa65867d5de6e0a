/** Groups a user's sessions by browser, as the Account pages do. */
import type { UserSession } from './api.ts';
import { t } from './text.ts';

export interface BrowserSessions {
  readonly key: string;
  readonly sessions: readonly UserSession[];
  /** The apps of this browser in which the user is signed in. */
  readonly apps: readonly string[];
  /** Whether the user is signed in to the Account pages in this browser. */
  readonly hasAccount: boolean;
  readonly userAgent: string | null;
  readonly ip: string | null;
  readonly lastSeen: string;
}

const lastSeenOf = ({ refreshed_at, created_at }: UserSession): string => refreshed_at ?? created_at;

export function groupSessions(sessions: readonly UserSession[]): readonly BrowserSessions[] {
  const groups = Map.groupBy(sessions, ({ id, browser }) => browser ?? id);
  return [...groups]
    .map(([key, own]) => groupOf(key, own))
    .sort((one, other) => other.lastSeen.localeCompare(one.lastSeen));
}

function groupOf(key: string, own: readonly UserSession[]): BrowserSessions {
  const sessions = own.toSorted((one, other) => lastSeenOf(other).localeCompare(lastSeenOf(one)));
  const [latest] = sessions as [UserSession, ...UserSession[]];
  const account = sessions.find(({ app, browser }) => app === null && browser !== null);
  // An app may refresh its session from a server, so the session of the Account pages describes the browser best.
  const shown = account ?? latest;
  const apps = sessions.flatMap(({ app }) => (app === null ? [] : [app.name ?? hostOf(app.url)]));
  return {
    key,
    sessions,
    apps: [...new Set(apps.filter((name) => name !== ''))],
    hasAccount: account !== undefined,
    userAgent: shown.user_agent,
    ip: shown.ip,
    lastSeen: lastSeenOf(latest),
  };
}

const hostOf = (url: string | null): string => (url !== null && URL.canParse(url) ? new URL(url).host : '');

/** Returns the names of the browser and the operating system from a User-Agent header. */
export function deviceOf(userAgent: string | null): string | undefined {
  if (userAgent === null) return undefined;
  const browser = browsers.find(([, pattern]) => pattern.test(userAgent))?.[0];
  const system = systems.find(([, pattern]) => pattern.test(userAgent))?.[0];
  return browser === undefined || system === undefined ? undefined : t('users.device', { browser, system });
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
