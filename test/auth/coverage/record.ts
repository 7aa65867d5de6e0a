/**
 * Every answer below `/auth/v1` that a server in this process gives while a test file runs, written to the run's folder
 * when the file is done. `coverage.test.ts` judges them together. Loaded by vitest before each test file; it listens
 * to Node's own server, so it sees browsers, stock clients and sockets alike.
 */
import { subscribe } from 'node:diagnostics_channel';
import { writeFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { relative } from 'node:path';
import { afterAll, expect, inject } from 'vitest';
import { answerFile, answerText, errorCodeOf } from './answers.ts';

const mount = '/auth/v1';
const seen = new Set<string>();

subscribe('http.server.request.start', (message) => {
  const { request, response } = message as { request: IncomingMessage; response: ServerResponse };
  // Kept now: frameworks rewrite it.
  const { method = '', url = '' } = request;
  if (!url.startsWith(`${mount}/`)) return;
  const end = response.end.bind(response) as (...args: unknown[]) => ServerResponse;
  response.end = ((...args: unknown[]) => {
    const body = typeof args[0] === 'string' ? args[0] : '';
    const location = response.getHeader('location');
    const path = url.slice(mount.length).split('?', 1)[0] ?? '';
    const code = errorCodeOf(response.statusCode, body, typeof location === 'string' ? location : undefined);
    const file = relative(process.cwd(), expect.getState().testPath ?? '');
    seen.add(answerText({ method, path, status: response.statusCode, ...code, file }));
    return end(...args);
  }) as typeof response.end;
});

afterAll(() => {
  if (seen.size > 0) writeFileSync(answerFile(inject('authAnswers')), [...seen].join('\n'));
});
