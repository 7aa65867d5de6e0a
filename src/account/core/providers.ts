/**
 * Defines the identity providers on the pages. Each has a mark: a tile in the provider's color that shows an icon or,
 * without an icon, unique letters. No images are loaded from providers, so providers can't track visitors.
 */
import { escapeMarkup } from '../../shared/escape-markup.ts';
import { type Glyph, glyphs } from './provider-glyphs.ts';

export interface Provider {
  /** The provider's ID in auth's API. */
  readonly id: string;
  readonly name: string;
  /** The SVG of the icon. The icon is decorative. */
  readonly mark: string;
}

interface Known {
  readonly name: string;
  readonly ground: string;
  /** Letters that are shown if the provider has no icon. */
  readonly initials?: string;
  readonly ink?: string;
  /** A drawing with its own colors, which is shown on the tile. */
  readonly drawing?: string;
}

const microsoft = [
  ['5', '5', '#f25022'],
  ['12.5', '5', '#7fba00'],
  ['5', '12.5', '#00a4ef'],
  ['12.5', '12.5', '#ffb900'],
]
  .map(([x, y, fill]) => `<rect x="${x}" y="${y}" width="6.5" height="6.5" fill="${fill}"/>`)
  .join('');

const google = [
  ['M5.5 8.25A7.5 7.5 0 0 1 17.3 6.7', '#ea4335'],
  ['M5.5 15.75A7.5 7.5 0 0 1 5.5 8.25', '#fbbc05'],
  ['M17.57 17.02A7.5 7.5 0 0 1 5.5 15.75', '#34a853'],
  ['M12.4 12H19.5A7.5 7.5 0 0 1 17.57 17.02', '#4285f4'],
]
  .map(([d, stroke]) => `<path d="${d}" fill="none" stroke="${stroke}" stroke-width="3.2"/>`)
  .join('');

const kakao =
  '<path d="M12 5.5c-4.1 0-7.4 2.6-7.4 5.8 0 2.1 1.4 3.9 3.5 4.9l-.8 2.9 3.3-2.1 1.4.1c4.1 0 7.4-2.6 7.4-5.8S16.1 5.5 12 5.5z" fill="#191600"/>';

const known: Readonly<Record<string, Known>> = {
  apple: { name: 'Apple', ground: '#1f1f21' },
  azure: { name: 'Microsoft', ground: '#ffffff', drawing: microsoft },
  bitbucket: { name: 'Bitbucket', ground: '#0052cc' },
  discord: { name: 'Discord', ground: '#5865f2' },
  facebook: { name: 'Facebook', ground: '#0866ff' },
  figma: { name: 'Figma', ground: '#7b3ff2' },
  fly: { name: 'Fly.io', ground: '#7b3be2', initials: 'Fl' },
  github: { name: 'GitHub', ground: '#24292f' },
  gitlab: { name: 'GitLab', ground: '#d1451b' },
  google: { name: 'Google', ground: '#ffffff', drawing: google },
  kakao: { name: 'Kakao', ground: '#fee500', drawing: kakao },
  keycloak: { name: 'Keycloak', ground: '#4a6178', initials: 'KC' },
  linkedin_oidc: { name: 'LinkedIn', ground: '#0a66c2', initials: 'in' },
  notion: { name: 'Notion', ground: '#ffffff', initials: 'N', ink: '#191919' },
  slack_oidc: { name: 'Slack', ground: '#611f69' },
  snapchat: { name: 'Snapchat', ground: '#fffc00', ink: '#111111' },
  spotify: { name: 'Spotify', ground: '#1db954', ink: '#06210f' },
  twitch: { name: 'Twitch', ground: '#7a3ff0' },
  twitter: { name: 'Twitter', ground: '#1d7fc4' },
  vercel_marketplace: { name: 'Vercel', ground: '#111111' },
  workos: { name: 'WorkOS', ground: '#5a5fe0', initials: 'W' },
  x: { name: 'X', ground: '#111111' },
  zoom: { name: 'Zoom', ground: '#0b5cff' },
};

/** Whether the text can be the ID of a provider, which may also be a custom one (`custom:name`). */
export const isProviderId = (text: string): boolean => /^[a-z0-9:_.-]{1,64}$/i.test(text);

/** Returns the provider with this ID. Returns undefined if the provider is unknown. */
export function knownProvider(id: string): Provider | undefined {
  if (!Object.hasOwn(known, id)) return undefined;
  const { name, ground, initials, ink, drawing } = known[id] as Known;
  const glyph = glyphs[id.replace(/_.*/, '')];
  const sign = drawing ?? (glyph === undefined ? initialsIn(initials ?? name, ink) : glyphIn(glyph, ink));
  return { id, name, mark: mark(sign, ground) };
}

/**
 * Returns the scopes to request in addition to auth's own. Since version 22, Keycloak requires `openid` to return a
 * profile.
 */
export function scopesFor(id: string): { scopes?: string } {
  return id === 'keycloak' ? { scopes: 'openid' } : {};
}

/** Returns a custom provider. Its mark is two letters of its name on one of the colors in `grounds`. */
export function customProvider(id: string, name: string): Provider {
  const words = name.trim().split(/\s+/);
  const [first = '?', second = ''] =
    words.length > 1 ? words.map((word) => [...word][0]) : [...(words[0] ?? '')];
  const sum = [...id].reduce((total, letter) => total + (letter.codePointAt(0) ?? 0), 0);
  const ground = grounds[sum % grounds.length] as string;
  return { id, name, mark: mark(initialsIn(`${first.toUpperCase()}${second}`), ground) };
}

/** Colors that keep white letters readable. */
const grounds = ['#5b6472', '#8a4b08', '#0f766e', '#9d174d', '#4338ca', '#3f6212'] as const;

function mark(sign: string, ground: string): string {
  // The tile gets a border if it has the same color as the button.
  const edge = ground === '#ffffff' ? ' stroke="#8b93a1" stroke-opacity=".5"' : '';
  return (
    '<svg viewBox="0 0 24 24" width="22" height="22" aria-hidden="true" focusable="false">' +
    `<rect x=".5" y=".5" width="23" height="23" rx="6" fill="${ground}"${edge}/>${sign}</svg>`
  );
}

function glyphIn({ d, isLine }: Glyph, ink = '#ffffff'): string {
  const paint = isLine
    ? `fill="none" stroke="${ink}" stroke-width="2.2" stroke-linecap="round" stroke-linejoin="round"`
    : `fill="${ink}"`;
  return `<path transform="translate(4.2 4.2) scale(.65)" d="${d}" ${paint}/>`;
}

function initialsIn(initials: string, ink = '#ffffff'): string {
  const size = initials.length > 1 ? 11.5 : 14;
  return (
    `<text x="12" y="12.5" fill="${ink}" font-family="system-ui,sans-serif" font-size="${size}" font-weight="700" ` +
    `text-anchor="middle" dominant-baseline="central">${escapeMarkup(initials)}</text>`
  );
}
