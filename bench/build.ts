import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** Builds the web app and the server if a source file is newer than the build, as `npm start` does. */
export function buildPlinth(): void {
  const script = fileURLToPath(new URL('../scripts/prepare.mjs', import.meta.url));
  execFileSync(process.execPath, [script], { stdio: 'inherit' });
}
