/**
 * Defines all colors of the web app. `theme.ts` passes the colors to Mantine. In both color schemes, `tokens.test.ts`
 * checks the contrast, which must be at least 4.5:1 for text (WCAG AA) and 3:1 for the edges of controls.
 */
export type Scheme = 'light' | 'dark';
export type Shades = readonly [
  string,
  string,
  string,
  string,
  string,
  string,
  string,
  string,
  string,
  string,
];

/** The color names that components can use. `theme-css.ts` writes variables only for these. */
export const colors = {
  plinth: [
    '#eef1ff',
    '#dce3ff',
    '#bac8ff',
    '#93a7fb',
    '#6f88f5',
    '#4f6aea',
    '#3a54d9',
    '#2b42c0',
    '#24379d',
    '#1b2974',
  ],
  gray: [
    '#f8f7f4',
    '#f1efeb',
    '#e6e3dc',
    '#d6d2c9',
    '#bcb7ac',
    '#8d877c',
    '#6d675d',
    '#504b43',
    '#38342e',
    '#1f1c18',
  ],
  dark: [
    '#ece9e3',
    '#cbc7bf',
    '#aca79d',
    '#8a847a',
    '#676157',
    '#443f38',
    '#302c27',
    '#1f1d19',
    '#171512',
    '#0f0e0c',
  ],
  red: [
    '#fff1f0',
    '#ffe0dd',
    '#ffc2bc',
    '#ff9c93',
    '#f47368',
    '#e04e41',
    '#c93a2e',
    '#b42a1f',
    '#941f16',
    '#6c150e',
  ],
  green: [
    '#ecfaf2',
    '#d5f3e1',
    '#ace6c5',
    '#7ad4a2',
    '#49bd7f',
    '#29a165',
    '#1d8753',
    '#176e44',
    '#115636',
    '#0b3d26',
  ],
  yellow: [
    '#fff8e6',
    '#ffeec4',
    '#fddd8c',
    '#f7c651',
    '#e5a823',
    '#c58a0e',
    '#a16d06',
    '#815604',
    '#654303',
    '#472f02',
  ],
} as const satisfies Record<string, Shades>;

export type ColorName = keyof typeof colors;

/** The roles of colors. Components use roles and never a specific shade. */
export interface Roles {
  /** The page background. */
  page: string;
  /** Cards, inputs, menus. */
  surface: string;
  /** Table headers, code and inset areas. */
  sunken: string;
  /** Tags and avatars that have no meaning to convey with a color. */
  tag: string;
  text: string;
  dimmed: string;
  placeholder: string;
  link: string;
  /** Decorative borders. */
  line: string;
  /** Borders of input fields. These borders need a contrast of at least 3:1 against `surface` and `page`. */
  control: string;
  /** Borders of buttons. A button is identified by its text, so the button's border doesn't need a contrast of 3:1. */
  edge: string;
  hover: string;
  /** Filled primary buttons and the text on them. */
  primary: string;
  primaryHover: string;
  onPrimary: string;
  danger: string;
  success: string;
  warning: string;
  /** The background of tinted boxes and the text on it. */
  infoBox: string;
  infoText: string;
  dangerBox: string;
  dangerText: string;
  successBox: string;
  successText: string;
  warningBox: string;
  warningText: string;
}

export const roles: Record<Scheme, Roles> = {
  light: {
    page: '#f5f3ef',
    surface: '#ffffff',
    sunken: '#f1efea',
    tag: '#f1efea',
    text: '#1f1c18',
    dimmed: '#5a554c',
    placeholder: '#6d675d',
    link: '#2b42c0',
    line: '#e0dcd4',
    control: '#858075',
    edge: '#d3cec4',
    hover: '#f5f3ef',
    primary: '#2b42c0',
    primaryHover: '#24379d',
    onPrimary: '#ffffff',
    danger: '#b42a1f',
    success: '#176e44',
    warning: '#815604',
    infoBox: '#eef1ff',
    infoText: '#24379d',
    dangerBox: '#fff1f0',
    dangerText: '#941f16',
    successBox: '#ecfaf2',
    successText: '#115636',
    warningBox: '#fff8e6',
    warningText: '#654303',
  },
  dark: {
    page: '#131210',
    surface: '#1c1a17',
    sunken: '#161411',
    tag: '#2b2824',
    text: '#ece9e3',
    dimmed: '#aca79d',
    placeholder: '#979186',
    link: '#93a7fb',
    line: '#36322c',
    control: '#767066',
    edge: '#4a453d',
    hover: '#272420',
    primary: '#4560e0',
    primaryHover: '#3a54d9',
    onPrimary: '#ffffff',
    danger: '#ff9c93',
    success: '#7ad4a2',
    warning: '#f7c651',
    infoBox: '#1e2340',
    infoText: '#bac8ff',
    dangerBox: '#3a1a19',
    dangerText: '#ffc2bc',
    successBox: '#132d21',
    successText: '#ace6c5',
    warningBox: '#33280d',
    warningText: '#fddd8c',
  },
};

/** The colors of lines in charts. The colors differ in hue and have a contrast of at least 3:1 against `surface`. */
export const seriesColors: Record<Scheme, readonly string[]> = {
  light: ['#2b42c0', '#0f766e', '#b45309', '#be185d', '#6d28d9', '#4d7c0f', '#9a3412'],
  dark: ['#8aa0ff', '#4fd1c0', '#f2b04e', '#f48bb8', '#b79bf7', '#a9cf5b', '#e0906a'],
};

/** Pairs of a text color and a background color that must have a contrast of at least 4.5:1. */
export const textPairs: readonly (readonly [keyof Roles, keyof Roles])[] = [
  ['text', 'page'],
  ['text', 'surface'],
  ['text', 'sunken'],
  ['text', 'tag'],
  ['text', 'hover'],
  ['dimmed', 'page'],
  ['dimmed', 'surface'],
  ['dimmed', 'sunken'],
  ['dimmed', 'tag'],
  ['dimmed', 'hover'],
  ['placeholder', 'surface'],
  ['link', 'page'],
  ['link', 'surface'],
  ['link', 'sunken'],
  ['onPrimary', 'primary'],
  ['onPrimary', 'primaryHover'],
  ['danger', 'surface'],
  ['danger', 'page'],
  ['success', 'surface'],
  ['warning', 'surface'],
  ['infoText', 'infoBox'],
  ['dangerText', 'dangerBox'],
  ['successText', 'successBox'],
  ['warningText', 'warningBox'],
];

/** Pairs of an edge color and a background color that must have a contrast of at least 3:1 (WCAG 1.4.11). */
export const edgePairs: readonly (readonly [keyof Roles, keyof Roles])[] = [
  ['control', 'surface'],
  ['control', 'page'],
  ['primary', 'surface'],
  ['link', 'surface'],
];

/** Returns the name of a role's CSS variable, such as `--plinth-danger-box` for `dangerBox`. */
export function roleVariable(role: keyof Roles): string {
  return `--plinth-${role.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}
