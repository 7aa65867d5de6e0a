/** Builds apps with the components that `plinth ui add` copies, and serves them at separate origins. */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';
import { filesOfComponents, targetOf } from '../../src/entry/cli/ui-components.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const components = ['sign-in-form', 'sign-in-button', 'user-button', 'account-dialog', 'org-switcher'];

export interface AppKind {
  readonly name: string;
  readonly framework: 'react' | 'elements';
  readonly language: 'ts' | 'js';
  /** The packages of React in node_modules. */
  readonly react?: readonly [react: string, reactDom: string];
}

const has = (name: string) => existsSync(join(root, 'node_modules', name));

export const appKinds: readonly AppKind[] = [
  { name: 'React 19', framework: 'react', language: 'ts', react: ['react', 'react-dom'] },
  // Development dependencies with other names (`npm:react@18`).
  ...(has('react-18') && has('react-dom-18')
    ? [{ name: 'React 18', framework: 'react', language: 'js', react: ['react-18', 'react-dom-18'] } as const]
    : [
        {
          name: 'React 19 without TypeScript',
          framework: 'react',
          language: 'js',
          react: ['react', 'react-dom'],
        } as const,
      ]),
  { name: 'web components', framework: 'elements', language: 'ts' },
];

const client = `
import { createClient } from '@supabase/supabase-js';
const { url, key } = await (await fetch('/config.json')).json();
const supabase = createClient(url, key, { auth: { flowType: 'pkce' } });
globalThis.supabase = supabase;
`;

const reactMain = `
import { createRoot } from 'react-dom/client';
import { StrictMode, useEffect, useState } from 'react';
import './components/auth/auth.css';
import { AccountDialog } from './components/auth/account-dialog';
import { OrgSwitcher } from './components/auth/org-switcher';
import { SignInButton } from './components/auth/sign-in-button';
import { SignInForm } from './components/auth/sign-in-form';
import { UserButton } from './components/auth/user-button';
${client}
function App() {
  const [isSignedIn, setIsSignedIn] = useState(false);
  useEffect(() => {
    const { data } = supabase.auth.onAuthStateChange((event) => event === 'SIGNED_OUT' && setIsSignedIn(false));
    return () => data.subscription.unsubscribe();
  }, []);
  const done = () => setIsSignedIn(true);
  return isSignedIn ? (
    <main>
      <h1>Welcome</h1>
      <UserButton supabase={supabase} accountUrl={url} />
      <OrgSwitcher supabase={supabase} onSwitched={() => document.body.setAttribute('data-switched', 'true')} />
    </main>
  ) : (
    <main>
      <h1>App</h1>
      <SignInForm supabase={supabase} providers={['github']} allowGuests allowPasskeys onSignedIn={done} />
      <h2>Account pages</h2>
      <SignInButton supabase={supabase}>Go to the pages</SignInButton>
      <AccountDialog supabase={supabase} onSignedIn={done}>Open the dialog</AccountDialog>
    </main>
  );
}
createRoot(document.getElementById('root')).render(<StrictMode><App /></StrictMode>);
`;

const elementsMain = `
import './components/auth/auth.css';
import './components/auth/elements/account-dialog';
import './components/auth/elements/org-switcher';
import './components/auth/elements/sign-in-button';
import './components/auth/elements/sign-in-form';
import './components/auth/elements/user-button';
${client}
const root = document.getElementById('root');
function show(isSignedIn) {
  root.innerHTML = isSignedIn
    ? '<main><h1>Welcome</h1><auth-user-button></auth-user-button><auth-org-switcher></auth-org-switcher></main>'
    : \`<main><h1>App</h1><auth-sign-in-form providers="github" guests passkeys></auth-sign-in-form><h2>Account pages</h2>
       <auth-sign-in-button label="Go to the pages"></auth-sign-in-button>
       <auth-account-dialog label="Open the dialog"></auth-account-dialog></main>\`;
  root.querySelector('auth-user-button')?.setAttribute('account-url', url);
  for (const element of root.querySelectorAll('main > *')) if ('supabase' in element) element.supabase = supabase;
}
root.addEventListener('signed-in', () => show(true));
root.addEventListener('switched', () => document.body.setAttribute('data-switched', 'true'));
supabase.auth.onAuthStateChange((event) => event === 'SIGNED_OUT' && show(false));
show(false);
`;

/** Adds the components as the command does, and builds the app. Returns the app's folder. */
export async function buildApp({ framework, language, react }: AppKind): Promise<string> {
  const cwd = mkdtempSync(join(tmpdir(), 'plinth-ui-app-'));
  const files = {
    'package.json': JSON.stringify({ dependencies: framework === 'react' ? { react: '*' } : {} }),
    ...(language === 'ts' ? { 'tsconfig.json': '{}' } : {}),
    'index.html':
      '<!doctype html><html lang="en"><head><title>App</title><meta name="viewport" content="width=device-width"><style>:root{color-scheme:light dark}body{background:Canvas}</style></head>' +
      `<body><div id="root"></div><script type="module" src="/src/main.jsx"></script></body></html>`,
    'src/main.jsx': framework === 'react' ? reactMain : elementsMain,
  };
  mkdirSync(join(cwd, 'src'));
  for (const [path, text] of Object.entries(files)) writeFileSync(join(cwd, path), text);
  for (const { path, text } of filesOfComponents(components, targetOf(cwd))) {
    mkdirSync(dirname(join(cwd, path)), { recursive: true });
    writeFileSync(join(cwd, path), text);
  }
  mkdirSync(join(cwd, 'node_modules/@supabase'), { recursive: true });
  const link = (name: string, as = name) =>
    symlinkSync(join(root, 'node_modules', name), join(cwd, 'node_modules', as));
  link('@supabase/supabase-js');
  if (react !== undefined) {
    link(react[0], 'react');
    link(react[1], 'react-dom');
  }
  await build({
    root: cwd,
    configFile: false,
    logLevel: 'error',
    resolve: {
      // The packages' own imports lead to the same copies.
      preserveSymlinks: true,
      alias: [
        { find: /^scheduler$/, replacement: join(root, 'node_modules/scheduler') },
        {
          find: /^(@supabase\/(?!supabase-js).*|tslib|iceberg-js)$/,
          replacement: join(root, 'node_modules/$1'),
        },
      ],
    },
    oxc: { jsx: { runtime: 'automatic' } },
    build: { target: 'esnext', minify: false },
  });
  return cwd;
}

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.json': 'application/json',
};

export interface Site {
  readonly url: string;
  /** Serves the files of a folder, and these values as `/config.json`. */
  show(folder: string, config: object): void;
  close(): Promise<void>;
}

/** Opens a web server with its own port, and therefore its own origin. */
export async function openSite(): Promise<Site> {
  let folder = '';
  const server = createServer((request, response) => {
    const path = join(folder, new URL(request.url ?? '/', 'http://localhost').pathname);
    const file = existsSync(path) && statSync(path).isDirectory() ? join(path, 'index.html') : path;
    if (folder === '' || !existsSync(file)) response.writeHead(404).end();
    else response.setHeader('content-type', types[extname(file)] ?? 'text/plain').end(readFileSync(file));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    show(next, config) {
      folder = next;
      writeFileSync(join(next, 'config.json'), JSON.stringify(config));
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
