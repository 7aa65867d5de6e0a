/** The app templates of `plinth init`: small apps with sign-in, a table and Realtime. Has no side effects. */

export interface Template {
  /** The framework's name. */
  readonly title: string;
  /** The address of the framework's development server, which links in emails open. */
  readonly siteUrl: string;
  /** The target paths of files in the folders of other templates and in `shared/`. */
  readonly shared: Readonly<Record<string, string>>;
}

const everywhere = { 'shared/gitignore': '.gitignore' };
const migration = 'supabase/migrations/20260101000000_notes.sql';
const withNotes = {
  ...everywhere,
  [`shared/${migration}`]: migration,
  'shared/notes.test.mjs': 'test/notes.test.mjs',
};

export const templates: Readonly<Record<string, Template>> = {
  react: {
    title: 'React with Vite',
    siteUrl: 'http://localhost:5173',
    shared: { ...withNotes, 'shared/notes.ts': 'src/lib/notes.ts', 'shared/style.css': 'src/style.css' },
  },
  next: {
    title: 'Next.js',
    siteUrl: 'http://localhost:3000',
    shared: { ...withNotes, 'shared/notes.ts': 'lib/notes.ts', 'shared/style.css': 'app/globals.css' },
  },
  sveltekit: {
    title: 'SvelteKit',
    siteUrl: 'http://localhost:5173',
    shared: { ...withNotes, 'shared/notes.ts': 'src/lib/notes.ts', 'shared/style.css': 'src/app.css' },
  },
  expo: {
    title: 'Expo (React Native)',
    siteUrl: 'http://localhost:8081',
    shared: { ...withNotes, 'shared/notes.ts': 'lib/notes.ts' },
  },
  ai: {
    title: 'AI search (React with Vite)',
    siteUrl: 'http://localhost:5173',
    shared: {
      ...everywhere,
      'shared/style.css': 'src/style.css',
      'react/tsconfig.json': 'tsconfig.json',
      'react/vite.config.ts': 'vite.config.ts',
      'react/src/SignIn.tsx': 'src/SignIn.tsx',
      'react/src/main.tsx': 'src/main.tsx',
      'react/src/supabase.ts': 'src/supabase.ts',
    },
  },
};

export const templateNames: readonly string[] = Object.keys(templates);

/** Returns a valid package name, which can contain fewer characters than a folder name. */
export function packageName(folder: string): string {
  const name = folder
    .toLowerCase()
    .replaceAll(/[^a-z0-9-]+/g, '-')
    .replaceAll(/^-+|-+$/g, '');
  return name === '' ? 'app' : name;
}

/**
 * Returns the template that the user chose by number or name. Returns null if the user chose a project without an app,
 * and undefined if the input is invalid.
 */
export function chosenTemplate(answer: string): string | null | undefined {
  const text = answer.trim().toLowerCase();
  if (text === '' || text === String(templateNames.length + 1) || text === 'none') return null;
  if (templateNames.includes(text)) return text;
  return /^\d+$/.test(text) ? templateNames[Number(text) - 1] : undefined;
}
