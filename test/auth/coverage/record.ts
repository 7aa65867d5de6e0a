/**
 * Runs before each test file. Records the auth responses that the test file causes, and writes them to the run's
 * folder. `coverage.test.ts` checks the responses of all test files together.
 */
import { relative, sep } from 'node:path';
import { afterAll, beforeAll, expect, inject } from 'vitest';
import { recorded, startRecording } from './listen.ts';
import { storeResponses } from './recorded-responses.ts';

const testFile = (): string => relative(process.cwd(), expect.getState().testPath ?? '').replaceAll(sep, '/');

beforeAll(() => startRecording(testFile()));

afterAll(() => storeResponses(inject('authResponses'), testFile(), recorded()));
