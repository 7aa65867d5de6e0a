/**
 * Keeps the temporary files of tests in memory. On ext4, the kernel spends much of a test's CPU time on creating files.
 */
import { chmodSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { isAlive } from '../../src/base/shared/run-folder.ts';
import { memoryFolder } from '../../src/platform/database/testing/template-folder.ts';

/**
 * The test files whose temporary files stay on the disk. These files run functions, and Deno doesn't allow functions to
 * use files below `/dev`.
 */
const onDisk: readonly string[] = [
  'test/cli/ai-template.test.ts',
  'test/cli/deploy.test.ts',
  'test/cli/lost-dependencies.test.ts',
  'test/cli/server.test.ts',
  'test/cli/target.test.ts',
  'test/cli/upstream-cli.test.ts',
  'test/cluster/functions.test.ts',
  'test/console/functions-editor-page.test.ts',
  'test/console/functions-editor.test.ts',
  'test/console/functions-page.test.ts',
  'test/console/functions.test.ts',
  'test/console/management.test.ts',
  'test/console/mcp-clients.test.ts',
  'test/console/mcp.test.ts',
  'test/crash/files.test.ts',
  'test/crash/orphans.test.ts',
  'test/docs/readme.test.ts',
  'test/docs/task-pages.test.ts',
  'test/docs/vector-search.test.ts',
  'test/example/',
  'test/functions/',
  'test/group/console.test.ts',
  'test/group/nodes.test.ts',
  'test/keys/third-party.test.ts',
  'test/main/live-settings.test.ts',
  'test/main/overload.test.ts',
  'test/migrate/functions.test.ts',
  'test/package/',
  'test/security/console-origin.test.ts',
  'test/security/file-modes.test.ts',
  'test/security/forwarded-headers.test.ts',
  'test/security/function-permissions.test.ts',
  'test/security/operator-settings.test.ts',
  'test/security/secrets-in-sight.test.ts',
  'test/security/temporary-tokens.test.ts',
  'test/security/token-kinds.test.ts',
  'test/security/tokens.test.ts',
  'test/security/unread.test.ts',
  'test/security/user-documents-browser.test.ts',
  'test/security/user-documents.test.ts',
  'test/security/workers.test.ts',
  'test/telemetry/deploy.test.ts',
  'test/tls/self-signed.test.ts',
];

/** The name is short, because socket paths in the folder are limited to about 100 bytes. */
const prefix = 'plinth-t';

/**
 * Creates a folder in memory and makes it the temporary folder of this process and its workers. Removes it when the
 * process exits. Returns undefined if the temporary files stay on the disk.
 */
export function moveTemporaryFolder(): string | undefined {
  const parent = memoryFolder({ programs: true });
  if (parent === undefined) return undefined;
  removeLeftOver(parent);
  const folder = mkdtempSync(join(parent, `${prefix}${process.pid}-`));
  // As in `/tmp`, every user can create files, but can't remove the files of other users.
  chmodSync(folder, 0o1777);
  process.on('exit', () => remove(folder));
  process.env.TMPDIR = folder;
  return folder;
}

/** Chooses the temporary folder of a test file. */
export function chooseTemporaryFolder(memory: string | undefined, testFile: string): void {
  if (memory === undefined) return;
  if (onDisk.some((path) => testFile.startsWith(path))) delete process.env.TMPDIR;
  else process.env.TMPDIR = memory;
}

/** Removes the folders of test runs that were killed. */
function removeLeftOver(parent: string): void {
  for (const name of readdirSync(parent)) {
    const pid = Number(new RegExp(`^${prefix}(\\d+)-`).exec(name)?.[1]);
    if (Number.isInteger(pid) && !isAlive(pid)) remove(join(parent, name));
  }
}

/**
 * Removes a folder, except for other users' files and for file systems that a killed test has left mounted in the
 * folder.
 */
function remove(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true });
  } catch {
    // The remaining files don't affect other runs.
  }
}
