/** Returns a value as it's shown in results. PostgreSQL sends booleans as `t` and `f`, which are shown as words. */
export const shownValue = (value: string | null, type: string | undefined): string | null =>
  type === 'boolean' && value !== null ? String(value === 't') : value;
