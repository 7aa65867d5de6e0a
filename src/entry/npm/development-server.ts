/** Runs `plinth start` as a child process that ends with this process. */
import { spawn } from 'node:child_process';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

export interface DevelopmentServer {
  /** The fields of `plinth status`, such as `API_URL`. */
  readonly status: Readonly<Record<string, string>>;
}

/**
 * Starts the backend of the project in `folder` or in its nearest parent folder that contains a project. If the backend
 * is already running, returns its status and doesn't stop it later.
 *
 * @throws {Error} with the output of `plinth start`
 */
export async function startDevelopmentServer(folder: string, port?: number): Promise<DevelopmentServer> {
  const command = new URL('../../../bin/plinth.mjs', import.meta.url);
  const args = [fileURLToPath(command), 'start', '--json', '--follow'];
  if (port !== undefined) args.push('--port', String(port));
  const child = spawn(process.execPath, args, {
    cwd: resolve(folder),
    // The server stops when this pipe closes, which happens when this process ends for any reason.
    stdio: ['pipe', 'pipe', 'pipe'],
    windowsHide: true,
  });
  let output = '';
  let errors = '';
  child.stdout.setEncoding('utf8');
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors += text;
    for (const line of text.split('\n')) if (line.trim() !== '') console.error(`[plinth] ${line}`);
  });
  return await new Promise<DevelopmentServer>((ready, reject) => {
    child.once('error', reject);
    child.once('close', () => reject(new Error(`The backend didn't start:\n${errors.trim()}`)));
    child.stdout.on('data', (text: string) => {
      output += text;
      const line = /^\{.*\}$/m.exec(output)?.[0];
      if (line === undefined) return;
      for (const stream of [child.stdin, child.stdout, child.stderr]) {
        (stream as unknown as { unref?(): void }).unref?.();
      }
      child.unref();
      ready({ status: JSON.parse(line) as Record<string, string> });
    });
  });
}
