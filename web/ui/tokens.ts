/**
 * All colors of the web app. `theme.ts` passes them to Mantine. `tokens.test.ts` checks the contrast in both color
 * schemes: 4.5:1 for text (WCAG AA) and 3:1 for the edges of controls.
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
    '#eff3ff',
    '#dfe6fe',
    '#bfcdfb',
    '#98adf6',
    '#7690ef',
    '#5673e4',
    '#3f5bd4',
    '#3148bd',
    '#283b9c',
    '#1e2c73',
  ],
  gray: [
    '#f7f8fa',
    '#eff1f4',
    '#e3e6eb',
    '#d2d7de',
    '#b7bec9',
    '#868f9f',
    '#67707f',
    '#4b5463',
    '#343c49',
    '#1b2029',
  ],
  dark: [
    '#e7eaf0',
    '#c5cbd6',
    '#a4acba',
    '#808999',
    '#5f6878',
    '#3d4451',
    '#2a303a',
    '#1b1f27',
    '#14171d',
    '#0d0f13',
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
  /** Table headers, code, wells. */
  sunken: string;
  text: string;
  dimmed: string;
  placeholder: string;
  link: string;
  /** Decorative borders. */
  line: string;
  /** Borders of controls, which need a contrast of 3:1 against `surface` and `page`. */
  control: string;
  hover: string;
  /** Filled primary buttons and the text on them. */
  primary: string;
  primaryHover: string;
  onPrimary: string;
  danger: string;
  success: string;
  warning: string;
  /** Tinted boxes: the background and its text. */
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
    page: '#f4f5f8',
    surface: '#ffffff',
    sunken: '#eff1f4',
    text: '#1b2029',
    dimmed: '#545d6c',
    placeholder: '#67707f',
    link: '#3148bd',
    line: '#dde1e7',
    control: '#7d8696',
    hover: '#f2f4f7',
    primary: '#3148bd',
    primaryHover: '#283b9c',
    onPrimary: '#ffffff',
    danger: '#b42a1f',
    success: '#176e44',
    warning: '#815604',
    infoBox: '#eff3ff',
    infoText: '#283b9c',
    dangerBox: '#fff1f0',
    dangerText: '#941f16',
    successBox: '#ecfaf2',
    successText: '#115636',
    warningBox: '#fff8e6',
    warningText: '#654303',
  },
  dark: {
    page: '#101319',
    surface: '#191d25',
    sunken: '#12151b',
    text: '#e7eaf0',
    dimmed: '#a4acba',
    placeholder: '#8f98a7',
    link: '#98adf6',
    line: '#2f3541',
    control: '#68717f',
    hover: '#232833',
    primary: '#4a66dc',
    primaryHover: '#3f5bd4',
    onPrimary: '#ffffff',
    danger: '#ff9c93',
    success: '#7ad4a2',
    warning: '#f7c651',
    infoBox: '#1d2540',
    infoText: '#bfcdfb',
    dangerBox: '#3a1a19',
    dangerText: '#ffc2bc',
    successBox: '#132d21',
    successText: '#ace6c5',
    warningBox: '#33280d',
    warningText: '#fddd8c',
  },
};

/** Pairs of text and background that must have a contrast of at least 4.5:1. */
export const textPairs: readonly (readonly [keyof Roles, keyof Roles])[] = [
  ['text', 'page'],
  ['text', 'surface'],
  ['text', 'sunken'],
  ['text', 'hover'],
  ['dimmed', 'page'],
  ['dimmed', 'surface'],
  ['dimmed', 'sunken'],
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

/** Pairs of edge and background that must have a contrast of at least 3:1 (WCAG 1.4.11). */
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
