/**
 * The messages between a test and the process that runs the test's backends. Each message is a line of JSON. A request
 * has an ID, and exactly one response has the same ID.
 */
import type { Environment } from '../../platform/packages/index.ts';

export interface CreateRequest {
  readonly operation: 'create';
  /** The folder that contains `supabase/`. Undefined if the project doesn't have this folder. */
  readonly projectDir: string | undefined;
  readonly sql: string | undefined;
  readonly exclude: readonly string[];
  readonly settings: Readonly<Record<string, string | number | boolean>>;
  /** The environment of the test, which the project's settings can refer to. */
  readonly env: Environment;
}

export interface CreatedBackend {
  readonly handle: number;
  readonly status: Readonly<Record<string, string>>;
}

export interface SqlRequest {
  readonly operation: 'sql';
  readonly handle: number;
  /** The parts of the SQL text before, between and after the values. */
  readonly texts: readonly string[];
  readonly values: readonly unknown[];
}

export interface StopRequest {
  readonly operation: 'stop';
  readonly handle: number;
}

export type TestingRequest = CreateRequest | SqlRequest | StopRequest;

export type TestingResponse =
  | { readonly id: number; readonly result: unknown }
  | { readonly id: number; readonly error: string; readonly advice: readonly string[] };

/** Formats a message as one line. 64-bit integers become text, because JSON.stringify rejects bigint values. */
export const encodeLine = (message: object): string =>
  `${JSON.stringify(message, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value))}\n`;

/** Returns a function that takes chunks of text and calls `onMessage` for each complete line. */
export function lineReader<T>(onMessage: (message: T) => void): (chunk: string) => void {
  let rest = '';
  return (chunk) => {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) if (line !== '') onMessage(JSON.parse(line) as T);
  };
}
