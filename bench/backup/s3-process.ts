/** Runs an S3 server in a separate process, so that it doesn't slow down the measured clients. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

export interface S3Process {
  readonly endpoint: string;
  stop(): void;
}

const program = `
import S3rver from 's3rver';
const server = new S3rver({ address: '127.0.0.1', port: 0, silent: true, directory: process.argv[1],
  configureBuckets: [{ name: 'backups', configs: [] }] });
console.log((await server.run()).port);
`;

/** Starts a server with the bucket `backups`. The access key and the secret key are both `S3RVER`. */
export async function startS3(): Promise<S3Process> {
  const directory = mkdtempSync(join(tmpdir(), 'plinth-s3-'));
  const child: ChildProcess = spawn(process.execPath, ['--input-type=module', '--eval', program, directory], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream });
  const port = await new Promise<string>((resolve, reject) => {
    lines.once('line', resolve);
    child.once('exit', (code) => reject(new Error(`s3rver ended with ${code}`)));
  });
  return {
    endpoint: `http://127.0.0.1:${port}`,
    stop() {
      child.kill();
      rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}
