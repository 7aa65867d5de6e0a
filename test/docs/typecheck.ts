/** Checks the types of code in the documentation with the packages of this clone. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { makeProject } from '../config/project-folder.ts';
import { root } from './pages.ts';

/** Returns the compiler's output for these files, which is empty if there aren't any errors. */
export function typeErrors(files: Readonly<Record<string, string>>): string {
  const folder = makeProject({});
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  };
  for (const [path, text] of Object.entries(files)) write(path, text);
  const packages = (path: string) => [join(root, 'node_modules', path)];
  write(
    'tsconfig.json',
    JSON.stringify({
      compilerOptions: {
        strict: true,
        noEmit: true,
        skipLibCheck: true,
        target: 'es2024',
        lib: ['es2024', 'dom', 'dom.iterable'],
        module: 'esnext',
        moduleResolution: 'bundler',
        moduleDetection: 'force',
        jsx: 'react-jsx',
        allowImportingTsExtensions: true,
        types: ['node'],
        typeRoots: packages('@types'),
        paths: {
          '@supabase/supabase-js': packages('@supabase/supabase-js'),
          react: packages('@types/react'),
          'react/jsx-runtime': packages('@types/react/jsx-runtime'),
        },
      },
      files: Object.keys(files),
    }),
  );
  try {
    const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
    return execFileSync(process.execPath, [tsc, '-p', folder], { encoding: 'utf8' });
  } catch (error) {
    return (error as { stdout: string }).stdout;
  }
}
