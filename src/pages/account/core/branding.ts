/**
 * Derives the pages' colors from the brand color so that they meet WCAG AA in the light and dark schemes. Buttons have
 * exactly the brand color, with black or white text. Links, focus rings and button borders use a darker or lighter
 * shade if necessary.
 */
import { escapeMarkup } from '../../../base/shared/printable.ts';

export interface BrandColors {
  readonly primary: string;
  readonly primaryHover: string;
  readonly onPrimary: string;
  /**
   * The border color of a button. The border makes the button visible if the brand color is similar to the page's
   * background.
   */
  readonly primaryBorder: string;
  readonly link: string;
}

type Rgb = readonly [number, number, number];

const white: Rgb = [255, 255, 255];
const black: Rgb = [0, 0, 0];
/**
 * The darkest and lightest backgrounds on which the pages show links. A test checks that these colors match the colors
 * in `web/ui/tokens.ts`.
 */
export const grounds = {
  light: ['#ffffff', '#f5f3ef', '#f1efea'],
  dark: ['#1c1a17', '#131210', '#161411'],
} as const;
const textRatio = 4.5;
const edgeRatio = 3;
const step = 0.04;

export function brandColors(color: string, scheme: 'light' | 'dark'): BrandColors {
  const base = parse(color);
  const away = scheme === 'light' ? black : white;
  const ground = grounds[scheme].map(parse);
  const edge = shift(base, away, (candidate) => ground.every((one) => ratio(candidate, one) >= edgeRatio));
  // Black text always reaches a contrast of 4.5:1 on a color on which white text doesn't.
  const onPrimary = ratio(white, base) >= textRatio ? white : black;
  const hover = mix(base, onPrimary === white ? black : white, 0.14);
  const link = shift(base, away, (candidate) => ground.every((one) => ratio(candidate, one) >= textRatio));
  return {
    primary: hex(base),
    primaryHover: hex(hover),
    onPrimary: hex(onPrimary),
    primaryBorder: hex(edge) === hex(base) ? 'transparent' : hex(edge),
    link: hex(link),
  };
}

/** Returns CSS that overrides the theme's colors with the brand's. Returns an empty string if no brand color is set. */
export function brandCss(color: string | undefined): string {
  if (color === undefined) return '';
  return brandRule(color, 'light', 'light') + brandRule(color, 'dark', 'dark');
}

/**
 * Returns the dark colors for pages that contain no scripts. These pages declare a light color scheme, so the rules for
 * dark colors must be inside a media query.
 */
export function brandDarkCss(color: string | undefined): string {
  return color === undefined ? '' : brandRule(color, 'dark', 'light');
}

function brandRule(color: string, scheme: 'light' | 'dark', says: 'light' | 'dark'): string {
  const { primary, primaryHover, onPrimary, primaryBorder, link } = brandColors(color, scheme);
  return (
    `:root[data-mantine-color-scheme="${says}"]{--plinth-primary:${primary};` +
    `--plinth-primary-hover:${primaryHover};--plinth-on-primary:${onPrimary};` +
    `--plinth-primary-border:${primaryBorder};--plinth-link:${link}}`
  );
}

/** Returns a monogram in the brand's color, for brands without a logo. */
export function monogram(name: string, color: string | undefined): string {
  const letter = [...name.trim()][0]?.toUpperCase() ?? 'P';
  const { primary, onPrimary } = brandColors(color ?? '#2b42c0', 'light');
  return (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 40" width="40" height="40">' +
    `<rect width="40" height="40" rx="10" fill="${primary}"/>` +
    `<text x="20" y="21" fill="${onPrimary}" font-family="system-ui,sans-serif" font-size="20" font-weight="650" ` +
    `text-anchor="middle" dominant-baseline="central">${escapeMarkup(letter)}</text></svg>`
  );
}

/**
 * Changes `color` toward `target` in small steps until `isGood` accepts the color. `target` itself satisfies every
 * condition that callers pass.
 */
function shift(color: Rgb, target: Rgb, isGood: (candidate: Rgb) => boolean): Rgb {
  for (let share = 0; share < 1; share += step) {
    const candidate = mix(color, target, share);
    if (isGood(candidate)) return candidate;
  }
  return target;
}

function mix(from: Rgb, to: Rgb, share: number): Rgb {
  return from.map((value, index) =>
    Math.round(value + ((to[index] as number) - value) * share),
  ) as unknown as Rgb;
}

function parse(color: string): Rgb {
  return [1, 3, 5].map((start) => Number.parseInt(color.slice(start, start + 2), 16)) as unknown as Rgb;
}

function hex(color: Rgb): string {
  return `#${color.map((value) => value.toString(16).padStart(2, '0')).join('')}`;
}

/** Returns the relative luminance, as defined in WCAG 2.2. */
function luminance(color: Rgb): number {
  const [red, green, blue] = color.map((value) => {
    const share = value / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function ratio(one: Rgb, other: Rgb): number {
  const [darker, lighter] = [luminance(one), luminance(other)].sort((a, b) => a - b) as [number, number];
  return (lighter + 0.05) / (darker + 0.05);
}
