/**
 * The identity providers that the pages name, with a mark of our own drawing for each: a tile in a colour of theirs with
 * a letter. No picture of theirs is loaded, so that nobody learns who looks at the page.
 */
import { escapeHtml } from './html.ts';

export interface Provider {
  /** As clients of auth name it. */
  readonly id: string;
  readonly name: string;
  /** SVG, decorative. */
  readonly mark: string;
}

interface Known {
  readonly name: string;
  readonly ground: string;
  readonly letter?: string;
  readonly ink?: string;
}

const known: Readonly<Record<string, Known>> = {
  apple: { name: 'Apple', ground: '#1f1f21' },
  azure: { name: 'Microsoft', ground: '#0067b8' },
  bitbucket: { name: 'Bitbucket', ground: '#0052cc' },
  discord: { name: 'Discord', ground: '#5865f2' },
  facebook: { name: 'Facebook', ground: '#0866ff', letter: 'f' },
  figma: { name: 'Figma', ground: '#7b3ff2' },
  fly: { name: 'Fly.io', ground: '#7b3be2' },
  github: { name: 'GitHub', ground: '#24292f' },
  gitlab: { name: 'GitLab', ground: '#d1451b' },
  google: { name: 'Google', ground: '#3b74e0' },
  kakao: { name: 'Kakao', ground: '#fee500', ink: '#191600' },
  keycloak: { name: 'Keycloak', ground: '#4a6178' },
  linkedin_oidc: { name: 'LinkedIn', ground: '#0a66c2', letter: 'in' },
  notion: { name: 'Notion', ground: '#191919' },
  slack_oidc: { name: 'Slack', ground: '#611f69' },
  snapchat: { name: 'Snapchat', ground: '#fffc00', ink: '#111111' },
  spotify: { name: 'Spotify', ground: '#1db954', ink: '#06210f' },
  twitch: { name: 'Twitch', ground: '#7a3ff0' },
  twitter: { name: 'Twitter', ground: '#1d7fc4' },
  vercel_marketplace: { name: 'Vercel', ground: '#111111' },
  workos: { name: 'WorkOS', ground: '#5a5fe0' },
  x: { name: 'X', ground: '#111111' },
  zoom: { name: 'Zoom', ground: '#0b5cff' },
};

/** Undefined for a name that no page can offer. */
export function knownProvider(id: string): Provider | undefined {
  if (!Object.hasOwn(known, id)) return undefined;
  const { name, ground, letter, ink } = known[id] as Known;
  return { id, name, mark: mark(letter ?? (name[0] as string), ground, ink) };
}

/** Scopes to ask for besides auth's own. Keycloak tells nobody's profile without `openid` (since its version 22). */
export function scopesFor(id: string): { scopes?: string } {
  return id === 'keycloak' ? { scopes: 'openid' } : {};
}

/** A provider that the project has added by itself. */
export function customProvider(id: string, name: string): Provider {
  return { id, name, mark: mark([...name.trim()][0]?.toUpperCase() ?? '?', '#5b6472') };
}

function mark(letter: string, ground: string, ink = '#ffffff'): string {
  return (
    '<svg viewBox="0 0 20 20" width="20" height="20" aria-hidden="true" focusable="false">' +
    `<rect width="20" height="20" rx="5" fill="${ground}"/>` +
    `<text x="10" y="10.5" fill="${ink}" font-family="system-ui,sans-serif" font-size="12" font-weight="700" ` +
    `text-anchor="middle" dominant-baseline="central">${escapeHtml(letter)}</text></svg>`
  );
}
