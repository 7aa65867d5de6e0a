import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { LineWriter } from './line-writer.ts';

const droppedLine = (count: number, reason: string): string => `dropped ${count} because of ${reason}\n`;

function folder(): string {
  const dir = mkdtempSync(join(tmpdir(), 'plinth-log-'));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  return dir;
}

const linesOf = (path: string): string[] => readFileSync(path, 'utf8').trimEnd().split('\n');

async function until(isTrue: () => boolean): Promise<void> {
  for (let tries = 0; !isTrue(); tries++) {
    if (tries > 500) throw new Error('the expected state was not reached');
    await sleep(20);
  }
}

test('all lines are written in order, including the last ones', async () => {
  const target = join(folder(), 'log');
  const writer = new LineWriter({ target, droppedLine });
  const lines = Array.from({ length: 5000 }, (_none, number) => `line ${number} ${'x'.repeat(40)}`);
  for (const line of lines) writer.write(`${line}\n`);
  await writer.end();
  expect(linesOf(target)).toEqual(lines);
});

test('on a full disk, only lines that don’t fit into the buffer are lost, and their number is logged', async () => {
  const dir = folder();
  const target = join(dir, 'log');
  symlinkSync('/dev/full', target);
  const writer = new LineWriter({ target, droppedLine });
  const line = `${'y'.repeat(1023)}\n`;
  for (let number = 0; number < 6000; number++) writer.write(line);
  await until(() => writer.fault === 'ENOSPC');
  for (let number = 0; number < 6000; number++) writer.write(line);
  const dropped = writer.droppedLines;
  expect(dropped).toBeGreaterThan(7000);

  // Removing the file frees the space on the disk.
  rmSync(target);
  await until(() => writer.fault === undefined);
  writer.write('after\n');
  await writer.end();
  const written = linesOf(target);
  expect(written.filter((text) => text === line.trimEnd()).length + dropped).toBe(12_000);
  expect(written.at(-1)).toMatch(/^dropped \d+ because of ENOSPC$|^after$/);
  expect(written.filter((text) => text.startsWith('dropped')).length).toBeGreaterThan(0);
});

test('at exit, a full disk doesn’t block', async () => {
  const target = join(folder(), 'log');
  symlinkSync('/dev/full', target);
  const writer = new LineWriter({ target, droppedLine });
  writer.write('lost\n');
  const startedAt = performance.now();
  await writer.end();
  expect(performance.now() - startedAt).toBeLessThan(2000);
});

test('a file is rotated only between lines', async () => {
  const dir = folder();
  const target = join(dir, 'log');
  let files = 0;
  const writer = new LineWriter({
    target,
    droppedLine,
    onWritten() {
      renameSync(target, join(dir, `log.${++files}`));
      return true;
    },
  });
  for (let round = 0; round < 5; round++) {
    const before = files;
    for (let number = 0; number < 2000; number++) writer.write(`${round} ${number} ${'z'.repeat(60)}\n`);
    await until(() => files > before);
  }
  await writer.end();
  for (let number = 1; number <= files; number++)
    for (const text of linesOf(join(dir, `log.${number}`))) expect(text).toMatch(/^\d \d+ z{60}$/);
});

test('no lines are lost if a pipe’s reader is slow, even at exit', async () => {
  const script = `
    import { LineWriter } from ${JSON.stringify(new URL('./line-writer.ts', import.meta.url).href)};
    // Makes the pipe's descriptor non-blocking, as the handler for a closed output does.
    process.stdout.on('error', () => undefined);
    const writer = new LineWriter({ target: 1, droppedLine: () => 'dropped\\n' });
    for (let number = 0; number < 20_000; number++) writer.write('line ' + number + ' ' + 'x'.repeat(60) + '\\n');
    await writer.end();
  `;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let text = '';
  await sleep(400);
  for await (const chunk of child.stdout) text += chunk;
  const lines = text.trimEnd().split('\n');
  expect(lines.length).toBe(20_000);
  expect(lines.at(-1)).toContain('line 19999 ');
});
