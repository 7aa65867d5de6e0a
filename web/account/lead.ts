import { useDestination } from './flow.ts';
import { t } from './text.ts';

/**
 * The text below the heading of sign-in and sign-up pages: the destination or, if there is none, the project's own
 * text. The server writes the same text (`lead` in `src/account/fill.ts`), because a line that appeared later would
 * shift buttons.
 */
export function useLead(otherwise: string): string {
  const host = useDestination();
  if (import.meta.env.SSR) return '%PLINTH_LEAD%';
  return host === undefined ? otherwise : t('sign-in.to', { host });
}
