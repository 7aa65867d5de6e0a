/** Groups failures that differ only in values. */
import { type FailureGroup, type LogEntry, levels } from '../types.ts';

const maxChars = 300;
const uuid = /[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}/gi;
/** Long tokens that contain a digit, such as hashes and random IDs. */
const token = /\b(?=[\w-]*\d)[\w-]{16,}/g;
const quoted = /"[^"\n]{1,200}"|'[^'\n]{1,200}'|`[^`\n]{1,200}`|“[^”\n]{1,200}”/g;
const number = /\d+(?:\.\d+)*/g;
/** The commands that color a terminal's text, and other control characters. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these characters are removed
const control = /\u001b\[[\d;]*[a-z]|[\u0000-\u001f\u007f-\u009f]/gi;

/**
 * Replaces the IDs in a path. The names of objects in a bucket are replaced too.
 *
 * @example routeOf('/functions/v1/orders/17') // '/functions/v1/orders/:id'
 */
export function routeOf(path: string): string {
  const object =
    /^\/storage\/v1\/(?:s3|object(?:\/(?:public|sign|authenticated|info|upload))*)\/[^/]+(?=\/)/.exec(path);
  const route = (object === null ? path : `${object[0]}/:name`).slice(0, maxChars);
  return route
    .split('/')
    .map((segment) =>
      /^\d+$/.test(segment) ? ':id' : segment.replaceAll(uuid, ':id').replaceAll(token, ':id'),
    )
    .join('/');
}

/**
 * Replaces the values in a message.
 *
 * @example patternOf('no bucket "a" after 12 ms') // 'no bucket "…" after # ms'
 */
export const patternOf = (message: string): string =>
  (message.split('\n', 1)[0] ?? '')
    .slice(0, maxChars)
    .replaceAll(control, '')
    .replaceAll(quoted, (text) => `${text[0]}…${text.at(-1)}`)
    .replaceAll(uuid, '#')
    .replaceAll(token, '#')
    .replaceAll(number, '#');

export const isFailure = ({ kind, status = 0, level }: LogEntry): boolean =>
  kind === 'request' ? status >= 400 : levels.indexOf(level) >= levels.indexOf('warn');

type GroupFields = Omit<FailureGroup, 'key' | 'count' | 'firstAt' | 'lastAt' | 'steps' | 'example'>;

/**
 * Returns what the failures of a group have in common. Secrets are masked before the text is shortened, because a part of
 * a secret isn't recognized.
 */
export function groupOf(entry: LogEntry, shown = (text: string): string => text): GroupFields {
  const { kind, service, level, method, path, status, statements, fields = {}, message } = entry;
  if (kind === 'request') {
    const code = statements?.findLast(({ error }) => error !== undefined)?.error;
    return { kind, service, level, method, route: routeOf(shown(path ?? '')), status, code };
  }
  const error = fields.error as Record<string, unknown> | undefined;
  const code = error?.code ?? fields.sqlstate ?? fields.code;
  const reason = typeof error?.message === 'string' ? `: ${error.message}` : '';
  return {
    ...{ kind, service, level },
    code: typeof code === 'string' || typeof code === 'number' ? String(code).slice(0, 40) : undefined,
    message: patternOf(shown(`${message}${reason}`)),
  };
}

/** Returns the text that identifies a group. */
export const keyOf = (group: GroupFields): string => {
  const { kind, service, level, method, route, status, code, message } = group;
  return JSON.stringify([kind, service, level, method, route, status, code, message]);
};
