/**
 * Defines the identity providers that the pages show. Each provider has a mark: a tile in the provider's color that
 * shows an icon or, if the provider has no icon, unique letters. The pages don't load images from providers, so
 * providers can't track visitors.
 */

import { knownProviderName } from '../../../base/shared/account.ts';
import { escapeMarkup } from '../../../base/shared/printable.ts';

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

/**
 * Provider icons as vector paths in a 24 × 24 square. The icons are from Tabler Icons 3 (https://tabler.io/icons), MIT
 * License, Copyright (c) 2020-2026 Paweł Kuna.
 */
interface Glyph {
  /** The path data (SVG 2, section 9.3). */
  readonly d: string;
  /** Whether the path is drawn as an outline instead of filled. */
  readonly isLine?: true;
}

const glyphs: Readonly<Record<string, Glyph>> = {
  apple: {
    d: 'M15.079 5.999l.239 .012c1.43 .097 3.434 1.013 4.508 2.586a1 1 0 0 1 -.344 1.44c-.05 .028 -.372 .158 -.497 .217a4.15 4.15 0 0 0 -.722 .431c-.614 .461 -.948 1.009 -.942 1.694c.01 .885 .339 1.454 .907 1.846c.208 .143 .436 .253 .666 .33c.126 .043 .426 .116 .444 .122a1 1 0 0 1 .662 .942c0 2.621 -3.04 6.381 -5.286 6.381c-.79 0 -1.272 -.091 -1.983 -.315l-.098 -.031c-.463 -.146 -.702 -.192 -1.133 -.192c-.52 0 -.863 .06 -1.518 .237l-.197 .053c-.575 .153 -.964 .226 -1.5 .248c-2.749 0 -5.285 -5.093 -5.285 -9.072c0 -3.87 1.786 -6.92 5.286 -6.92c.297 0 .598 .045 .909 .128c.403 .107 .774 .26 1.296 .508c.787 .374 .948 .44 1.009 .44h.016c.03 -.003 .128 -.047 1.056 -.457c1.061 -.467 1.864 -.685 2.746 -.616l-.24 -.012zM14 1a1 1 0 0 1 1 1a3 3 0 0 1 -3 3a1 1 0 0 1 -1 -1a3 3 0 0 1 3 -3z',
  },
  bitbucket: {
    d: 'M3.661 3l16.68 .007c.484 -.005 .946 .203 1.262 .57c.316 .368 .454 .856 .364 1.396l-3.338 14.651a1.64 1.64 0 0 1 -1.629 1.376h-10.01c-.906 -.009 -1.678 -.668 -1.82 -1.517l-3.148 -14.576a1.64 1.64 0 0 1 1.639 -1.907m11.339 5h-6a1 1 0 0 0 -.986 1.164l1 6a1 1 0 0 0 .986 .836h4a1 1 0 0 0 .986 -.836l1 -6a1 1 0 0 0 -.986 -1.164',
  },
  discord: {
    d: 'M14.983 3l.123 .006c2.014 .214 3.527 .672 4.966 1.673a1 1 0 0 1 .371 .488c1.876 5.315 2.373 9.987 1.451 12.28c-1.003 2.005 -2.606 3.553 -4.394 3.553c-.732 0 -1.693 -.968 -2.328 -2.045a21.512 21.512 0 0 0 2.103 -.493a1 1 0 1 0 -.55 -1.924c-3.32 .95 -6.13 .95 -9.45 0a1 1 0 0 0 -.55 1.924c.717 .204 1.416 .37 2.103 .494c-.635 1.075 -1.596 2.044 -2.328 2.044c-1.788 0 -3.391 -1.548 -4.428 -3.629c-.888 -2.217 -.39 -6.89 1.485 -12.204a1 1 0 0 1 .371 -.488c1.439 -1.001 2.952 -1.459 4.966 -1.673a1 1 0 0 1 .935 .435l.063 .107l.651 1.285l.137 -.016a12.97 12.97 0 0 1 2.643 0l.134 .016l.65 -1.284a1 1 0 0 1 .754 -.54l.122 -.009zm-5.983 7a2 2 0 0 0 -1.977 1.697l-.018 .154l-.005 .149l.005 .15a2 2 0 1 0 1.995 -2.15zm6 0a2 2 0 0 0 -1.977 1.697l-.018 .154l-.005 .149l.005 .15a2 2 0 1 0 1.995 -2.15z',
  },
  facebook: {
    d: 'M18 2a1 1 0 0 1 .993 .883l.007 .117v4a1 1 0 0 1 -.883 .993l-.117 .007h-3v1h3a1 1 0 0 1 .991 1.131l-.02 .112l-1 4a1 1 0 0 1 -.858 .75l-.113 .007h-2v6a1 1 0 0 1 -.883 .993l-.117 .007h-4a1 1 0 0 1 -.993 -.883l-.007 -.117v-6h-2a1 1 0 0 1 -.993 -.883l-.007 -.117v-4a1 1 0 0 1 .883 -.993l.117 -.007h2v-1a6 6 0 0 1 5.775 -5.996l.225 -.004h3z',
  },
  figma: {
    d: 'M12 12a3 3 0 1 0 6 0a3 3 0 1 0 -6 0M6 6a3 3 0 0 1 3 -3h6a3 3 0 0 1 3 3a3 3 0 0 1 -3 3h-6a3 3 0 0 1 -3 -3M9 9a3 3 0 0 0 0 6h3m-3 0a3 3 0 1 0 3 3v-15',
    isLine: true,
  },
  github: {
    d: 'M5.315 2.1c.791 -.113 1.9 .145 3.333 .966l.272 .161l.16 .1l.397 -.083a13.3 13.3 0 0 1 4.59 -.08l.456 .08l.396 .083l.161 -.1c1.385 -.84 2.487 -1.17 3.322 -1.148l.164 .008l.147 .017l.076 .014l.05 .011l.144 .047a1 1 0 0 1 .53 .514a5.2 5.2 0 0 1 .397 2.91l-.047 .267l-.046 .196l.123 .163c.574 .795 .93 1.728 1.03 2.707l.023 .295l.007 .272c0 3.855 -1.659 5.883 -4.644 6.68l-.245 .061l-.132 .029l.014 .161l.008 .157l.004 .365l-.002 .213l-.003 3.834a1 1 0 0 1 -.883 .993l-.117 .007h-6a1 1 0 0 1 -.993 -.883l-.007 -.117v-.734c-1.818 .26 -3.03 -.424 -4.11 -1.878l-.535 -.766c-.28 -.396 -.455 -.579 -.589 -.644l-.048 -.019a1 1 0 0 1 .564 -1.918c.642 .188 1.074 .568 1.57 1.239l.538 .769c.76 1.079 1.36 1.459 2.609 1.191l.001 -.678l-.018 -.168a5.03 5.03 0 0 1 -.021 -.824l.017 -.185l.019 -.12l-.108 -.024c-2.976 -.71 -4.703 -2.573 -4.875 -6.139l-.01 -.31l-.004 -.292a5.6 5.6 0 0 1 .908 -3.051l.152 -.222l.122 -.163l-.045 -.196a5.2 5.2 0 0 1 .145 -2.642l.1 -.282l.106 -.253a1 1 0 0 1 .529 -.514l.144 -.047l.154 -.03z',
  },
  gitlab: { d: 'M21 14l-9 7l-9 -7l3 -11l3 7h6l3 -7l3 11', isLine: true },
  slack: {
    d: 'M12 12v-6a2 2 0 0 1 4 0v6m0 -2a2 2 0 1 1 2 2h-6M12 12h6a2 2 0 0 1 0 4h-6m2 0a2 2 0 1 1 -2 2v-6M12 12v6a2 2 0 0 1 -4 0v-6m0 2a2 2 0 1 1 -2 -2h6M12 12h-6a2 2 0 0 1 0 -4h6m-2 0a2 2 0 1 1 2 -2v6',
    isLine: true,
  },
  snapchat: {
    d: 'M12 1.96a5.88 5.88 0 0 1 5.882 5.882c0 .618 .008 1.174 .03 1.678l.008 .21l.084 -.115q .46 -.627 1.102 -1.29l.187 -.19a1 1 0 0 1 1.414 1.415c-2.637 2.637 -2.51 3.795 .76 5.527l.048 .025a.98 .98 0 0 1 .46 .636l.004 .022l.003 .013l.006 .043l.006 .032v.009l.003 .025l.001 .051l.002 .026l-.001 .009v.025l-.003 .042l-.002 .034l-.002 .015l-.002 .02l-.004 .016l-.01 .06l-.007 .026l-.006 .02l-.016 .06l-.013 .029l-.005 .013l-.024 .062a1 1 0 0 1 -.197 .28l-.03 .025l-.016 .014l-.043 .039l-.013 .007l-.018 .015l-.051 .033l-.02 .014l-.008 .003l-.014 .01a1 1 0 0 1 -.098 .049l-.013 .003l-.146 .066c-.576 .255 -.81 .365 -1.008 .474l-.053 .03c-.27 .155 -.398 .277 -.558 .525c-.156 .245 -.293 .516 -.715 1.41a1 1 0 0 1 -.904 .573c-1.067 0 -1.798 .25 -2.879 .868l-.426 .246c-.176 .102 -.311 .178 -.447 .25c-.794 .423 -1.464 .636 -2.248 .636s-1.454 -.213 -2.248 -.636a15 15 0 0 1 -.447 -.25l-.426 -.246c-1.081 -.618 -1.812 -.868 -2.879 -.868a1 1 0 0 1 -.904 -.573c-.422 -.894 -.559 -1.165 -.715 -1.41a1.4 1.4 0 0 0 -.558 -.525c-.228 -.13 -.47 -.243 -1.227 -.577l.02 .007l-.013 -.003a1 1 0 0 1 -.098 -.05l-.014 -.009l-.028 -.017l-.051 -.033l-.018 -.015l-.013 -.007l-.043 -.039l-.012 -.01l-.004 -.004l-.03 -.025a1 1 0 0 1 -.197 -.28l-.024 -.062l-.005 -.013l-.013 -.028l-.016 -.061l-.005 -.012l-.008 -.035l-.01 -.059l-.004 -.016l-.002 -.02l-.002 -.015l-.002 -.035l-.004 -.041l.001 -.025l-.001 -.01l.002 -.025l.001 -.05l.003 -.026v-.01l.006 -.03l.006 -.044l.004 -.014l.002 -.021a.98 .98 0 0 1 .461 -.636l.048 -.025l.204 -.11c3.003 -1.635 3.132 -2.785 .72 -5.25l-.164 -.167a1 1 0 0 1 1.414 -1.414q .764 .763 1.289 1.479l.083 .115l.01 -.21q .025 -.628 .028 -1.374l.001 -.304a5.88 5.88 0 0 1 5.882 -5.882',
  },
  spotify: {
    d: 'M17 3.34a10 10 0 1 1 -15 8.66l.005 -.324a10 10 0 0 1 14.995 -8.336m-2.168 11.605c-1.285 -1.927 -4.354 -2.132 -6.387 -.777a1 1 0 0 0 1.11 1.664c1.195 -.797 3.014 -.675 3.613 .223a1 1 0 1 0 1.664 -1.11m1.268 -3.245c-2.469 -1.852 -5.895 -2.187 -8.608 -.589a1 1 0 0 0 1.016 1.724c1.986 -1.171 4.544 -.92 6.392 .465a1 1 0 0 0 1.2 -1.6m1.43 -3.048c-3.677 -2.298 -7.766 -2.152 -10.977 -.546a1 1 0 0 0 .894 1.788c2.635 -1.317 5.997 -1.437 9.023 .454a1 1 0 1 0 1.06 -1.696',
  },
  twitch: {
    d: 'M4 5v11a1 1 0 0 0 1 1h2v4l4 -4h5.584c.266 0 .52 -.105 .707 -.293l2.415 -2.414c.187 -.188 .293 -.442 .293 -.708v-8.585a1 1 0 0 0 -1 -1h-14a1 1 0 0 0 -1 1l.001 0M16 8l0 4M12 8l0 4',
    isLine: true,
  },
  twitter: {
    d: 'M14.058 3.41c-1.807 .767 -2.995 2.453 -3.056 4.38l-.002 .182l-.243 -.023c-2.392 -.269 -4.498 -1.512 -5.944 -3.531a1 1 0 0 0 -1.685 .092l-.097 .186l-.049 .099c-.719 1.485 -1.19 3.29 -1.017 5.203l.03 .273c.283 2.263 1.5 4.215 3.779 5.679l.173 .107l-.081 .043c-1.315 .663 -2.518 .952 -3.827 .9c-1.056 -.04 -1.446 1.372 -.518 1.878c3.598 1.961 7.461 2.566 10.792 1.6c4.06 -1.18 7.152 -4.223 8.335 -8.433l.127 -.495c.238 -.993 .372 -2.006 .401 -3.024l.003 -.332l.393 -.779l.44 -.862l.214 -.434l.118 -.247c.265 -.565 .456 -1.033 .574 -1.43l.014 -.056l.008 -.018c.22 -.593 -.166 -1.358 -.941 -1.358l-.122 .007a.997 .997 0 0 0 -.231 .057l-.086 .038a7.46 7.46 0 0 1 -.88 .36l-.356 .115l-.271 .08l-.772 .214c-1.336 -1.118 -3.144 -1.254 -5.012 -.554l-.211 .084z',
  },
  vercel: { d: 'M11.143 3.486a1 1 0 0 1 1.714 0l9 15a1 1 0 0 1 -.857 1.514h-18a1 1 0 0 1 -.857 -1.514z' },
  x: {
    d: 'M4 4l11.733 16h4.267l-11.733 -16l-4.267 0M4 20l6.768 -6.768m2.46 -2.46l6.772 -6.772',
    isLine: true,
  },
  zoom: {
    d: 'M17.011 9.385v5.128l3.989 3.487v-12l-3.989 3.385M3.887 6h10.08c1.468 0 3.033 1.203 3.033 2.803v8.196a.991 .991 0 0 1 -.975 1h-10.373c-1.667 0 -2.652 -1.5 -2.652 -3l.01 -8a.882 .882 0 0 1 .208 -.71a.841 .841 0 0 1 .67 -.287l-.001 -.002',
    isLine: true,
  },
};
