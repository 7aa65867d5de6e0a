/** Runs a {@link SchemaComparer} in a separate process, so that a comparison doesn't delay the server's requests. */
import type { ChildProcess } from 'node:child_process';
import { constants, setPriority } from 'node:os';
import type { SchemaComparer } from '../../project/diff/index.ts';

interface Request {
  readonly id: number;
  readonly method: keyof SchemaComparer;
  readonly input: readonly unknown[];
}

interface Response {
  readonly id: number;
  readonly result?: unknown;
  /** Errors lose their class on the way to the other process. */
  readonly error?: { readonly name: string; readonly message: string; readonly advice: readonly string[] };
}

/** An error of the other process. `name` and `advice` are those of a `ProjectError`, whose message users can read. */
class ComparisonError extends Error {
  readonly advice: readonly string[];

  constructor({ name, message, advice }: NonNullable<Response['error']>) {
    super(message);
    this.name = name;
    this.advice = advice;
  }
}

export interface OpenComparer extends SchemaComparer {
  close(): void;
}

/** Opens a comparer in a new process, or in this process if `fork` is undefined. */
export async function openSchemaComparer(fork: (() => ChildProcess) | undefined): Promise<OpenComparer> {
  if (fork === undefined) {
    const { createSchemaComparer } = await import('../../project/diff/index.ts');
    return { ...createSchemaComparer(), close: () => undefined };
  }
  const child = fork();
  if (child.pid !== undefined) lowerPriority(child.pid);
  const waiting = new Map<number, PromiseWithResolvers<unknown>>();
  let lastId = 0;
  let ended: Error | undefined;
  const end = (error: Error): void => {
    ended ??= error;
    for (const { reject } of waiting.values()) reject(ended);
    waiting.clear();
  };
  child.on('error', end);
  child.on('exit', () => end(new Error('The process that compares schemas ended unexpectedly.')));
  child.on('message', ({ id, result, error }: Response) => {
    const call = waiting.get(id);
    waiting.delete(id);
    if (error === undefined) call?.resolve(result);
    else call?.reject(new ComparisonError(error));
  });
  const call = (method: keyof SchemaComparer, ...input: readonly unknown[]): Promise<unknown> => {
    if (ended !== undefined) return Promise.reject(ended);
    const answer = Promise.withResolvers<unknown>();
    const id = ++lastId;
    waiting.set(id, answer);
    child.send({ id, method, input } satisfies Request, (error) => {
      if (error !== null) end(error);
    });
    return answer.promise;
  };
  return {
    read: async (...input) => void (await call('read', ...input)),
    script: (...input) => call('script', ...input) as ReturnType<SchemaComparer['script']>,
    objects: (...input) => call('objects', ...input) as ReturnType<SchemaComparer['objects']>,
    close: () => void child.kill(),
  };
}

/** Lets requests run first. Without the permission to do this, the comparison runs with the server's priority. */
function lowerPriority(pid: number): void {
  try {
    setPriority(pid, constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // The process has ended, or the system doesn't allow the change.
  }
}

/** Answers the requests of the process that started this one, until that process ends. */
export async function runSchemaComparer(): Promise<never> {
  const { createSchemaComparer, DiffError } = await import('../../project/diff/index.ts');
  const comparer = createSchemaComparer();
  const answer = async ({ id, method, input }: Request): Promise<Response> => {
    try {
      const work = comparer[method] as (...input: readonly unknown[]) => Promise<unknown>;
      return { id, result: await work(...input) };
    } catch (error) {
      const { name, message } = error instanceof Error ? error : new Error(String(error));
      return error instanceof DiffError
        ? { id, error: { name: 'ProjectError', message, advice: [error.hint] } }
        : { id, error: { name, message, advice: [] } };
    }
  };
  process.on(
    'message',
    (request: Request) => void answer(request).then((response) => process.send?.(response)),
  );
  process.on('disconnect', () => process.exit(0));
  return await new Promise<never>(() => undefined);
}
