import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const bin = fileURLToPath(new URL('../../bin/plinth.mjs', import.meta.url));

/** Runs a command whose output is read by a program that ends immediately, or goes to a full disk. */
function run(args: string, output: string): Promise<{ readonly status: string; readonly stderr: string }> {
  const child = spawn('bash', ['-c', `"${process.execPath}" "${bin}" ${args} ${output}`]);
  let stderr = '';
  let status = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    status += text;
  });
  return new Promise((resolve) => child.on('close', () => resolve({ status: status.trim(), stderr })));
}

for (const args of [
  '--help',
  'db dump --help',
  'operators --help',
  '--version',
  'gen signing-key',
  'rest --example',
]) {
  it(`plinth ${args} ends without an error when its output isn’t read`, async () => {
    const { status, stderr } = await run(args, '| true; echo $PIPESTATUS');
    expect({ status, hasStack: /Error|^\s+at /m.test(stderr) }).toEqual({ status: '141', hasStack: false });
  });

  it.skipIf(process.platform !== 'linux')(
    `plinth ${args} says that its output can’t be written to a full disk`,
    async () => {
      const { status, stderr } = await run(args, '> /dev/full; echo $?');
      expect(status).toBe('1');
      expect(stderr).toMatch(/(^|\n)The output can't be written: ENOSPC.*\n$/);
    },
  );
}
