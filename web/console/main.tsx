import './styles.ts';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { createRoot } from 'react-dom/client';
import { activateLocale, addMessages } from '../lib/i18n.ts';
import { createQueryClient } from '../lib/query.ts';
import { messages } from '../locales/en/console.ts';
import { messages as shared } from '../locales/en/shared.ts';
import { UiProvider } from '../ui/provider.tsx';
import { watchConnection } from './api/reachable.ts';
import { watchSignOut } from './api/session.ts';
import { IdentityDialog } from './layout/identity-dialog.tsx';
import { createConsoleRouter } from './router.tsx';
import { cameFromElsewhere, takeToken } from './take-token.ts';

addMessages('en', shared);
addMessages('en', messages);
activateLocale('en');

// The font is requested now, because all scripts have been loaded and the font no longer delays them. The font arrives
// while the page is being rendered.
void document.fonts.load("1rem 'Geist Variable'").catch(() => undefined);

const token = takeToken();
const queryClient = createQueryClient();
const router = createConsoleRouter({ queryClient, linkToken: token, confirmsFirst: cameFromElsewhere() });
watchSignOut(queryClient);
watchConnection(queryClient);

/**
 * Renders the app once the first page's code has been loaded, so the first render contains the whole page. Otherwise,
 * React would reveal the page in parts, at intervals of at least 300 ms.
 */
function render(): void {
  createRoot(document.getElementById('root') as HTMLElement).render(
    <UiProvider>
      <QueryClientProvider client={queryClient}>
        <RouterProvider router={router} />
        <IdentityDialog />
      </QueryClientProvider>
    </UiProvider>,
  );
}

// The pages' modules import this module, so this module must not await them.
void router.load().finally(render);
