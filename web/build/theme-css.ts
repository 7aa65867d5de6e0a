/**
 * Builds the theme's CSS variables as a static style sheet (`virtual:plinth-theme.css`). Otherwise, Mantine would write
 * the variables into a style element at run time. A static style sheet doesn't need a nonce, can be inlined into
 * prerendered pages, and contains only the colors that Plinth uses.
 */
import { convertCssVariables, defaultCssVariablesResolver } from '@mantine/core';
import type { Plugin } from 'vite';
import { cssVariablesResolver, fullTheme } from '../ui/theme-variables.ts';
import { colors } from '../ui/tokens.ts';

const virtualId = 'virtual:plinth-theme.css';
const kept = new Set<string>(Object.keys(colors));

/**
 * Whether a CSS variable is used. For example, `--mantine-color-grape-3` isn't used, because no component has that
 * color, but `--mantine-color-text` is used.
 */
function isKept(variable: string): boolean {
  const match = /^--mantine-color-([a-z]+)-/.exec(variable);
  if (match?.[1] === undefined || kept.has(match[1])) return true;
  return !(match[1] in fullTheme.colors);
}

type VariableSet = { variables: object; light: object; dark: object };

function trimmed(set: VariableSet): {
  variables: Record<string, string>;
  light: Record<string, string>;
  dark: Record<string, string>;
} {
  const keep = (values: object) =>
    Object.fromEntries(Object.entries(values).filter(([name]) => isKept(name))) as Record<string, string>;
  return { variables: keep(set.variables), light: keep(set.light), dark: keep(set.dark) };
}

export function themeCss(): string {
  const base = trimmed(defaultCssVariablesResolver(fullTheme));
  const own = trimmed(cssVariablesResolver(fullTheme));
  return convertCssVariables(
    {
      variables: { ...base.variables, ...own.variables },
      light: { ...base.light, ...own.light },
      dark: { ...base.dark, ...own.dark },
    },
    ':root',
  );
}

export function themeCssPlugin(): Plugin {
  return {
    name: 'plinth-theme-css',
    resolveId: (id) => (id === virtualId ? `\0${virtualId}` : undefined),
    load: (id) => (id === `\0${virtualId}` ? themeCss() : undefined),
  };
}
