/** Builds GoTrue, the upstream auth server, which `bench/requests.ts` compares with Plinth. */
import { execFileSync } from 'node:child_process';
import { existsSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export const gotrueVersion = 'v2.196.0';

/**
 * Returns GoTrue's program, which is built on first use. Returns undefined if Git or Go isn't installed, or if the
 * source can't be downloaded.
 */
export function buildGotrue(): string | undefined {
  const folder = join(tmpdir(), `plinth-bench-gotrue-${gotrueVersion}`);
  const program = join(folder, 'gotrue');
  if (existsSync(program)) return program;
  console.log(`building GoTrue ${gotrueVersion} in ${folder}`);
  // The folder is incomplete if an earlier download or build failed.
  rmSync(folder, { recursive: true, force: true });
  const source = 'https://github.com/supabase/auth';
  const env = { ...process.env, GIT_TERMINAL_PROMPT: '0', CGO_ENABLED: '0' };
  try {
    execFileSync('git', ['clone', '--quiet', '--depth', '1', '--branch', gotrueVersion, source, folder], {
      env,
    });
    const version = `-X github.com/supabase/auth/internal/utilities.Version=${gotrueVersion}`;
    execFileSync('go', ['build', '-ldflags', version, '-o', 'gotrue', '.'], { cwd: folder, env });
    return program;
  } catch (error) {
    console.error(`GoTrue couldn't be built: ${(error as Error).message}`);
    return undefined;
  }
}
