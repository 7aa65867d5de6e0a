/** Routes the questions of database functions to the handlers of their kinds. */
import type { RequestHandler } from './server.ts';

/** The handlers by kind. */
export type Handlers = Readonly<Record<string, RequestHandler>>;

/**
 * Returns a handler that passes each question to the handler of its kind. The first line of a question is its kind.
 * Questions of the extension http consist of a JSON object, without a line for the kind.
 */
export const routeByKind =
  (handlers: Handlers): RequestHandler =>
  (question, signal) => {
    const [, kind = 'http', text = question] = /^([a-z]+)\n(.*)$/s.exec(question) ?? [];
    const handler = Object.hasOwn(handlers, kind) ? handlers[kind] : undefined;
    if (handler === undefined) return Promise.reject(new Error(`unknown kind of question: ${kind}`));
    return handler(text, signal);
  };
