/**
 * Writes the JavaScript version of the components that `plinth ui add` copies (templates/ui/auth) to
 * templates/ui/javascript. Apps without TypeScript get these files.
 *
 *     node scripts/ui-javascript.ts
 */
import { execFileSync } from 'node:child_process';
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../', import.meta.url));
const source = join(root, 'templates/ui/auth');
const target = join(root, 'templates/ui/javascript');

/** Compiles the components. Returns the text of each file by its path. */
export function javascriptComponents(): Readonly<Record<string, string>> {
  const out = mkdtempSync(join(tmpdir(), 'plinth-ui-'));
  try {
    const settings = join(out, 'tsconfig.json');
    const packages = (path: string) => [join(root, 'node_modules', path)];
    const compilerOptions = {
      ...{ rootDir: source, outDir: join(out, 'js'), noCheck: true, skipLibCheck: true },
      ...{ target: 'esnext', module: 'esnext', moduleResolution: 'bundler', jsx: 'preserve' },
      ...{ verbatimModuleSyntax: true, types: [], lib: ['esnext', 'dom'] },
      paths: { '@supabase/supabase-js': packages('@supabase/supabase-js'), react: packages('@types/react') },
    };
    writeFileSync(settings, JSON.stringify({ compilerOptions, include: [`${source}/**/*`] }));
    execFileSync(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', settings]);
    const biome = join(root, 'node_modules/@biomejs/biome/bin/biome');
    return Object.fromEntries(
      globSync('**/*.{js,jsx}', { cwd: join(out, 'js') })
        .sort()
        .map((path) => {
          const input = readFileSync(join(out, 'js', path), 'utf8');
          const options = { cwd: root, input, encoding: 'utf8' } as const;
          const args = [biome, 'check', '--write', `--stdin-file-path=${join(target, path)}`];
          return [path, execFileSync(process.execPath, args, options)];
        }),
    );
  } finally {
    rmSync(out, { recursive: true });
  }
}

if (import.meta.main) {
  rmSync(target, { recursive: true, force: true });
  for (const [path, text] of Object.entries(javascriptComponents())) {
    mkdirSync(dirname(join(target, path)), { recursive: true });
    writeFileSync(join(target, path), text);
  }
}
