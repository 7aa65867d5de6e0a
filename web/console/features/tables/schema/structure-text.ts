/** Formats default values and sizes for the structure page. */
import type { Column } from '../../../api/types.ts';

export function valueText({ default: expression, identity, generated, comment }: Column): string {
  const value =
    identity !== null
      ? `generated ${identity} as identity`
      : generated
        ? `generated always as (${expression})`
        : expression === null
          ? ''
          : `default ${expression}`;
  return [value, comment ?? ''].filter((part) => part !== '').join(' · ');
}

const sizeUnits = ['B', 'KiB', 'MiB', 'GiB', 'TiB'] as const;

export function sizeText(bytes: number): string {
  const power = Math.min(sizeUnits.length - 1, bytes < 1 ? 0 : Math.floor(Math.log2(bytes) / 10));
  return `${(bytes / 1024 ** power).toFixed(power === 0 ? 0 : 1)} ${sizeUnits[power]}`;
}
