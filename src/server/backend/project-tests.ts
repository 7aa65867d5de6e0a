/** Writes and runs the pgTAP tests in the project folder. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { requireWithin } from '../../base/kernel/real-path.ts';
import type { Modules } from './modules.ts';
import type { BackendParts } from './parts.ts';
import { requireWritable } from './writable.ts';

/** Writes a test and returns its path in the project. If a file with this name exists, a number is added. */
export async function writeTest(parts: BackendParts, name: string, text: string): Promise<string> {
  const folder = join(parts.supabaseDir, 'tests');
  requireWritable(parts, folder);
  mkdirSync(folder, { recursive: true });
  for (let number = 1; ; number++) {
    const file = number === 1 ? name : name.replace(/_test\.sql$/, `_${number}_test.sql`);
    try {
      writeFileSync(join(folder, file), text, { flag: 'wx' });
      return relative(parts.projectDir, join(folder, file));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
  }
}

export async function runTests(
  { database, projectDir, supabaseDir }: BackendParts,
  project: Modules['project'],
  paths: readonly string[],
): Promise<{ readonly passed: boolean; readonly output: string }> {
  const testDir = join(supabaseDir, 'tests');
  const files = paths.map((path) => resolve(testDir, path));
  for (const file of files) requireWithin([testDir], file);
  const lines: string[] = [];
  const passed = await project.testDatabase({
    url: database.info.url,
    projectDir,
    paths: files,
    cwd: testDir,
    verbose: true,
    print: (line) => void lines.push(line),
  });
  return { passed, output: lines.join('\n') };
}
