/** The components that `plinth ui add` copies into an app, and the files of each. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export type Framework = 'react' | 'elements';
export type Language = 'ts' | 'js';

interface Component {
  readonly about: string;
  /** The modules in `core/` that the component uses. */
  readonly core: readonly string[];
  /** Whether the component uses the React hook for the session. */
  readonly usesSession?: boolean;
  /** The files in the app's public folder. */
  readonly publicFiles?: readonly string[];
}

export const uiComponents: Readonly<Record<string, Component>> = {
  'sign-in-form': {
    about: 'A form: password, code by email, providers, passkey, guest and second factor',
    core: ['messages', 'sign-in'],
  },
  'sign-in-button': {
    about: 'A button that goes to the Account pages and comes back signed in',
    core: ['messages', 'account'],
  },
  'user-button': {
    about: "The user's picture with a menu: account settings, other accounts, signing out",
    core: ['messages', 'account', 'user'],
    usesSession: true,
  },
  'account-dialog': {
    about: 'A button that opens the Account pages in a separate window',
    core: ['messages', 'account'],
    publicFiles: ['account-dialog.html', 'account-dialog.js'],
  },
  'org-switcher': {
    about: "A list of the user's organizations that switches between them",
    core: ['messages', 'organizations'],
    usesSession: true,
  },
};

const templates = fileURLToPath(new URL('../../../templates/ui/', import.meta.url));

export interface UiFile {
  /** The file's path relative to the app's folder, with slashes. */
  readonly path: string;
  readonly text: string;
}

export interface UiTarget {
  readonly framework: Framework;
  readonly language: Language;
  /** The folder of components relative to the app's folder. */
  readonly folder: string;
  readonly publicFolder: string;
}

/** Returns the files of the components, without duplicates. */
export function filesOfComponents(names: readonly string[], target: UiTarget): readonly UiFile[] {
  const { framework, language, folder, publicFolder } = target;
  const source = join(templates, language === 'ts' ? 'auth' : 'javascript');
  const jsx = language === 'ts' ? 'tsx' : 'jsx';
  const files = new Map<string, string>();
  const addOwn = (path: string) =>
    files.set(`${folder}/auth/${path}`, readFileSync(join(source, path), 'utf8'));
  for (const name of names) {
    const { core, usesSession = false, publicFiles = [] } = uiComponents[name] as Component;
    addOwn(framework === 'react' ? `${name}.${jsx}` : `elements/${name}.${language}`);
    if (framework === 'elements') addOwn(`elements/dom.${language}`);
    else if (usesSession) addOwn(`use-session.${language}`);
    for (const each of core) addOwn(`core/${each}.${language}`);
    for (const each of publicFiles)
      files.set(`${publicFolder}/${each}`, readFileSync(join(templates, 'public', each), 'utf8'));
  }
  files.set(`${folder}/auth/auth.css`, readFileSync(join(templates, 'auth', 'auth.css'), 'utf8'));
  return [...files].map(([path, text]) => ({ path, text }));
}

/** Determines the framework, the language and the folders of an app from its files. */
export function targetOf(appDir: string): UiTarget {
  const has = (...path: string[]) => existsSync(join(appDir, ...path));
  const packages = packagesOf(appDir);
  const folder = packages.has('@sveltejs/kit')
    ? 'src/lib'
    : has('src', 'components') || (has('src') && !has('components'))
      ? 'src/components'
      : 'components';
  return {
    framework: packages.has('react') ? 'react' : 'elements',
    language: has('tsconfig.json') || packages.has('typescript') ? 'ts' : 'js',
    folder,
    publicFolder: packages.has('@sveltejs/kit') ? 'static' : 'public',
  };
}

function packagesOf(appDir: string): ReadonlySet<string> {
  try {
    const manifest = JSON.parse(readFileSync(join(appDir, 'package.json'), 'utf8')) as Record<string, object>;
    return new Set(Object.keys({ ...manifest.dependencies, ...manifest.devDependencies }));
  } catch {
    return new Set();
  }
}
