/** Writes the type declarations of Plinth's npm package. The declarations don't refer to other packages. */
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

const names = ['index', 'testing', 'vite'];

/** Writes `NAME.d.ts` to `outDir` for each entry point. */
export async function writeTypes(/** @type {string} */ root, /** @type {string} */ outDir) {
  const work = mkdtempSync(path.join(tmpdir(), 'plinth-types-'));
  try {
    const config = path.join(work, 'tsconfig.json');
    writeFileSync(
      config,
      JSON.stringify({
        extends: path.join(root, 'tsconfig.json'),
        compilerOptions: {
          noEmit: false,
          declaration: true,
          emitDeclarationOnly: true,
          noCheck: true,
          rootDir: path.join(root, 'src'),
          outDir: work,
          typeRoots: [path.join(root, 'node_modules', '@types')],
        },
        include: [],
        files: names.map((name) => path.join(root, 'src', 'entry', 'npm', `${name}.ts`)),
      }),
    );
    const tsc = path.join(root, 'node_modules', 'typescript', 'bin', 'tsc');
    const { status, stdout } = spawnSync(process.execPath, [tsc, '-p', config], { encoding: 'utf8' });
    if (status !== 0) throw new Error(`The types couldn't be written:\n${stdout}`);
    for (const name of names) {
      const file = path.join(work, 'entry', 'npm', `${name}.d.ts`);
      if (/^import |from ['"]/m.test(readFileSync(file, 'utf8')))
        throw new Error(`src/entry/npm/${name}.ts: its types refer to other files`);
      copyFileSync(file, path.join(outDir, `${name}.d.ts`));
    }
    // For CommonJS, TypeScript requires the same declarations in a file with a different extension.
    copyFileSync(path.join(outDir, 'testing.d.ts'), path.join(outDir, 'testing.d.cts'));
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}
