/** Formats default values for the structure page. */
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
