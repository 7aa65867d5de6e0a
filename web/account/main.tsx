import './styles.ts';
import { hydrateRoot } from 'react-dom/client';
import { App } from './app.tsx';
import { sessionClient } from './session.ts';
import { loadFirst, loadProblems } from './texts.ts';

async function start(): Promise<void> {
  try {
    await loadFirst();
  } catch {
    // A page can't be shown without its texts.
    window.plinthStill();
    return;
  }
  hydrateRoot(document.getElementById('root') as HTMLElement, <App />);
  // A page that waited for the session (`src/account/routes/pages.ts`) is shown regardless of the result.
  void sessionClient()
    .load()
    .then(() => document.documentElement.removeAttribute('data-waiting'));
  // No error can occur before the visitor focuses a field or a button.
  addEventListener('focusin', () => void loadProblems().catch(() => {}), { once: true });
}

void start();
