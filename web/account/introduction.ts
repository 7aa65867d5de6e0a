import { useDestination } from './flow.ts';
import { t } from './text.ts';

/**
 * Returns the text below the heading of the sign-in and sign-up pages: the app to which the user will return or, if
 * there is none, the project's own text. The server writes the same text (`lead` in `src/account/fill.ts`), because a
 * line that appeared later would shift the buttons.
 */
export function useIntroduction(otherwise: string): string {
  const host = useDestination();
  if (import.meta.env.SSR) return '%PLINTH_INTRO%';
  return host === undefined ? otherwise : t('sign-in.to', { host });
}
