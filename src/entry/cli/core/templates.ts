/**
 * The app templates of `plinth init`: small apps with sign-in, a table, Realtime and file uploads. Has no side effects.
 */

export interface Template {
  /** The framework's name. */
  readonly title: string;
  /** The address of the framework's development server, which links in emails open. */
  readonly siteUrl: string;
  /** The target paths of the files that all templates share. */
  readonly shared: Readonly<Record<string, string>>;
}

const everywhere = {
  gitignore: '.gitignore',
  'supabase/migrations/20260101000000_notes.sql': 'supabase/migrations/20260101000000_notes.sql',
};

export const templates: Readonly<Record<string, Template>> = {
  react: {
    title: 'React with Vite',
    siteUrl: 'http://localhost:5173',
    shared: { ...everywhere, 'notes.ts': 'src/lib/notes.ts', 'style.css': 'src/style.css' },
  },
  next: {
    title: 'Next.js',
    siteUrl: 'http://localhost:3000',
    shared: { ...everywhere, 'notes.ts': 'lib/notes.ts', 'style.css': 'app/globals.css' },
  },
  sveltekit: {
    title: 'SvelteKit',
    siteUrl: 'http://localhost:5173',
    shared: { ...everywhere, 'notes.ts': 'src/lib/notes.ts', 'style.css': 'src/app.css' },
  },
  expo: {
    title: 'Expo (React Native)',
    siteUrl: 'http://localhost:8081',
    shared: { ...everywhere, 'notes.ts': 'lib/notes.ts' },
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
