/**
 * Defines the identity providers that the pages show. Each provider has a mark: a tile in the provider's color that
 * shows an icon or, if the provider has no icon, unique letters. The pages don't load images from providers, so
 * providers can't track visitors.
 */

import { knownProviderName } from '../../../base/shared/account.ts';
import { escapeMarkup } from '../../../base/shared/printable.ts';
import { type Glyph, glyphs } from './provider-glyphs.ts';

export interface Provider {
  /** The provider's ID in the API of the auth service. */
  readonly id: string;
  readonly name: string;
  /** The icon as decorative SVG. */
  readonly mark: string;
}

interface Known {
  readonly ground: string;
  /** The letters shown if the provider has no icon. */
  readonly initials?: string;
  readonly ink?: string;
  /** A multicolored drawing shown on the tile. */
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
  apple: { ground: '#1f1f21' },
  azure: { ground: '#ffffff', drawing: microsoft },
  bitbucket: { ground: '#0052cc' },
  discord: { ground: '#5865f2' },
  facebook: { ground: '#0866ff' },
  figma: { ground: '#7b3ff2' },
  fly: { ground: '#7b3be2', initials: 'Fl' },
  github: { ground: '#24292f' },
  gitlab: { ground: '#d1451b' },
  google: { ground: '#ffffff', drawing: google },
  kakao: { ground: '#fee500', drawing: kakao },
  keycloak: { ground: '#4a6178', initials: 'KC' },
  linkedin_oidc: { ground: '#0a66c2', initials: 'in' },
  notion: { ground: '#ffffff', initials: 'N', ink: '#191919' },
  slack_oidc: { ground: '#611f69' },
  snapchat: { ground: '#fffc00', ink: '#111111' },
  spotify: { ground: '#1db954', ink: '#06210f' },
  twitch: { ground: '#7a3ff0' },
  twitter: { ground: '#1d7fc4' },
  vercel_marketplace: { ground: '#111111' },
  workos: { ground: '#5a5fe0', initials: 'W' },
  x: { ground: '#111111' },
  zoom: { ground: '#0b5cff' },
};

/** Whether the text has the format of a provider ID, including the IDs of custom providers (`custom:name`). */
export const isProviderId = (text: string): boolean => /^[a-z0-9:_.-]{1,64}$/i.test(text);

/** Returns the provider with this ID, or undefined if the ID is unknown. */
export function knownProvider(id: string): Provider | undefined {
  const name = knownProviderName(id);
  if (name === undefined) return undefined;
  const { ground, initials, ink, drawing } = known[id] as Known;
  const glyph = glyphs[id.replace(/_.*/, '')];
  const sign = drawing ?? (glyph === undefined ? initialsIn(initials ?? name, ink) : glyphIn(glyph, ink));
  return { id, name, mark: mark(sign, ground) };
}

/**
 * Returns the scopes to request in addition to the scopes that the auth service requests. Keycloak 22 and later return
 * a profile only if the request contains the scope `openid`.
 */
export function scopesFor(id: string): { scopes?: string } {
  return id === 'keycloak' ? { scopes: 'openid' } : {};
}

/** Returns a custom provider. The provider's mark shows two letters of its name on one of the colors in `grounds`. */
export function customProvider(id: string, name: string): Provider {
  const words = name.trim().split(/\s+/);
  const [first = '?', second = ''] =
    words.length > 1 ? words.map((word) => [...word][0]) : [...(words[0] ?? '')];
  const sum = [...id].reduce((total, letter) => total + (letter.codePointAt(0) ?? 0), 0);
  const ground = grounds[sum % grounds.length] as string;
  return { id, name, mark: mark(initialsIn(`${first.toUpperCase()}${second}`), ground) };
}

/** The background colors of marks with letters. White letters are readable on all of them. */
const grounds = ['#5b6472', '#8a4b08', '#0f766e', '#9d174d', '#4338ca', '#3f6212'] as const;

function mark(sign: string, ground: string): string {
  // The tile has a border if its color is the same as the button's color.
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
