import { useDestination } from './flow.ts';
import { t } from './text.ts';

/**
 * Below the heading of the pages by which people enter: where they go afterwards, or else what the project says there. The
 * server writes the same (`lead` of `src/account/fill.ts`): a line that came later would move a button that is being pressed.
 */
export function useLead(otherwise: string): string {
  const host = useDestination();
  if (import.meta.env.SSR) return '%PLINTH_LEAD%';
  return host === undefined ? otherwise : t('sign-in.to', { host });
}
