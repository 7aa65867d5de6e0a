import './styles.ts';
import { createRoot, hydrateRoot } from 'react-dom/client';
import { App } from './app.tsx';
import { sessionClient } from './session.ts';
import { activateEnglish, loadAskedLocale } from './texts.ts';

activateEnglish();
const root = document.getElementById('root') as HTMLElement;
if (await loadAskedLocale()) createRoot(root).render(<App />);
else hydrateRoot(root, <App />);
void sessionClient().load();
void import('./problems.ts');
