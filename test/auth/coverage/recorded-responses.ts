/**
 * Defines the format in which a test run records the auth service's responses, and where they are stored until the run
 * ends.
 */
import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

declare module 'vitest' {
  interface ProvidedContext {
    /** The folder for the responses recorded in this run. */
    readonly authResponses: string;
  }
}

export interface RecordedResponse {
  readonly method: string;
  /** The path below `/auth/v1`, without the query. */
  readonly path: string;
  readonly status: number;
  /** A code from the service's error table. Empty for successes, and for errors in the format of RFC 6749. */
  readonly code: string;
  readonly isError: boolean;
  /** The test file that caused the response. */
  readonly file: string;
}

export const responseText = (response: RecordedResponse): string => JSON.stringify(response);

/** Stores the responses that a test file caused. The file's path is stored even if it caused no responses. */
export function storeResponses(folder: string, testFile: string, responses: readonly string[]): void {
  const lines = [JSON.stringify(testFile), ...responses];
  writeFileSync(join(folder, `${randomUUID()}.jsonl`), lines.join('\n'));
}

export interface RecordedRun {
  /** The test files that ran, relative to the repository's root. */
  readonly testFiles: ReadonlySet<string>;
  readonly responses: readonly RecordedResponse[];
}

export function readRun(folder: string): RecordedRun {
  const testFiles = new Set<string>();
  const responses: RecordedResponse[] = [];
  for (const name of readdirSync(folder)) {
    const [testFile = '""', ...lines] = readFileSync(join(folder, name), 'utf8').split('\n');
    testFiles.add(JSON.parse(testFile) as string);
    responses.push(...lines.map((line) => JSON.parse(line) as RecordedResponse));
  }
  return { testFiles, responses };
}

/**
 * Returns the error code of a response. Redirects contain the code in the query or fragment of their URL. Other
 * responses contain it in the body.
 */
export function errorCodeOf(
  status: number,
  body: string,
  location: string | undefined,
): Pick<RecordedResponse, 'code' | 'isError'> {
  if (location !== undefined) {
    const params = new URLSearchParams(location.replace(/^[^?#]*[?#]/, '').replace('#', '&'));
    return { code: params.get('error_code') ?? '', isError: params.has('error') || params.has('error_code') };
  }
  if (status < 400) return { code: '', isError: false };
  return { code: codeOfBody(body), isError: true };
}

function codeOfBody(body: string): string {
  try {
    const { error_code: old, code } = JSON.parse(body) as { error_code?: unknown; code?: unknown };
    if (typeof old === 'string') return old;
    return typeof code === 'string' ? code : '';
  } catch {
    return '';
  }
}
