import { useDestination } from './flow.ts';
import { usePageConfig } from './page-config.ts';
import { t } from './text.ts';

/**
 * Returns the text below the heading of the sign-in and sign-up pages. The text names the app to which the user will
 * return, and ends with the text that the project has configured. The server writes the same text (`intro` in
 * `src/pages/account/fill.ts`), because a line that appears later would shift the buttons.
 */
export function useIntroduction(welcome: string): string {
  const host = useDestination();
  const { app } = usePageConfig();
  if (import.meta.env.SSR) return '%PLINTH_INTRO%';
  const destination = app === '' ? host : app;
  const lines = [destination === undefined ? '' : t('sign-in.to', { host: destination }), welcome];
  return lines.filter((line) => line !== '').join('\n');
}
