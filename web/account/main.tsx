import './styles.ts';
import { hydrateRoot } from 'react-dom/client';
import { App } from './app.tsx';
import { sessionClient } from './session.ts';
import { loadFirst, loadProblems } from './texts.ts';

async function start(): Promise<void> {
  try {
    await loadFirst();
  } catch {
    // No page without its texts.
    window.plinthStill();
    return;
  }
  hydrateRoot(document.getElementById('root') as HTMLElement, <App />);
  void sessionClient().load();
  // Nothing can go wrong before somebody turns to a field or a button.
  addEventListener('focusin', () => void loadProblems().catch(() => {}), { once: true });
}

void start();
