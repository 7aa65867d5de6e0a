/** Saves a diagram as a file. */
import type { Colors } from './svg.ts';

export function download(text: string, name: string, type: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([text], { type: `${type};charset=utf-8` }));
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}

/** Returns the colors of the color scheme in use. */
export function exportColors(): Colors {
  const styles = getComputedStyle(document.documentElement);
  const color = (name: string): string => styles.getPropertyValue(`--plinth-${name}`).trim();
  return {
    page: color('page'),
    surface: color('surface'),
    sunken: color('sunken'),
    line: color('edge'),
    edge: color('control'),
    text: color('text'),
    dimmed: color('dimmed'),
    warning: color('warning-text'),
  };
}
