import './styles.ts';
import { hydrateRoot } from 'react-dom/client';
import { App } from './app.tsx';
import { sessionClient } from './session.ts';
import { loadFirst, loadProblems } from './texts.ts';

async function start(): Promise<void> {
  await loadFirst();
  hydrateRoot(document.getElementById('root') as HTMLElement, <App />);
  void sessionClient().load();
  // Nothing can go wrong before somebody turns to a field or a button.
  addEventListener('focusin', () => void loadProblems(), { once: true });
}

void start();
