/** Creates temporary project folders from file names and contents. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';

/**
 * Creates a project folder that is removed after the test. File names, such as `supabase/config.toml`, are relative to
 * this folder.
 */
export function makeProject(files: Readonly<Record<string, string | Buffer>>, name = 'my-project'): string {
  const parent = mkdtempSync(join(tmpdir(), 'plinth-test-'));
  onTestFinished(() => rmSync(parent, { recursive: true, force: true }));
  const dir = join(parent, name);
  mkdirSync(dir);
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(dir, path)), { recursive: true });
    writeFileSync(join(dir, path), text);
  }
  return dir;
}
