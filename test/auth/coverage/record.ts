/**
 * Runs before each test file. Records the auth responses that the test file causes, and writes them to the run's
 * folder. `coverage.test.ts` checks the responses of all test files together.
 */
import { writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import { afterAll, beforeAll, expect, inject } from 'vitest';
import { recorded, startRecording } from './listen.ts';
import { responseFile } from './recorded-responses.ts';

beforeAll(() => startRecording(relative(process.cwd(), expect.getState().testPath ?? '')));

afterAll(() => {
  const lines = recorded();
  if (lines.length > 0) writeFileSync(responseFile(inject('authResponses')), lines.join('\n'));
});
