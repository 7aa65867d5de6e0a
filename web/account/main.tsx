import './styles.ts';
import { hydrateRoot } from 'react-dom/client';
import { App } from './app.tsx';
import { keepSection } from './flow.ts';
import { sessionClient } from './session.ts';
import { loadFirst, loadProblems } from './texts.ts';

async function start(): Promise<void> {
  try {
    await loadFirst();
  } catch {
    // A page can't be shown until its messages have been loaded.
    window.plinthStill();
    return;
  }
  keepSection();
  // A page that the browser restores after the user has gone back from the app would still wait for the app.
  addEventListener('pageshow', (event) => {
    if (event.persisted) window.location.reload();
  });
  hydrateRoot(document.getElementById('root') as HTMLElement, <App />);
  // Pages for signed-out users are hidden until the session is known (`isWaiting` in
  // `src/pages/account/routes/send.ts`). The pages are then shown, even if the session couldn't be loaded.
  void sessionClient()
    .load()
    .then(() => document.documentElement.removeAttribute('data-waiting'));
  // The error messages are loaded when a control first receives focus, because errors can't occur before that.
  addEventListener('focusin', () => void loadProblems().catch(() => {}), { once: true });
}

void start();
