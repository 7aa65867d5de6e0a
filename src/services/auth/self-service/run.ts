/**
 * Runs an operation for the Account pages in the same context as a request to the operation's route. The call is logged
 * as a request to this route.
 */
import type { Observe } from '../../../base/kernel/service.ts';
import { AuthRejection } from '../../../base/shared/errors.ts';
import { splitOnce } from '../../../base/shared/http/split-once.ts';
import type { Caller } from '../common/caller.ts';
import { parseFields, type ReadFields } from '../common/fields.ts';
import { type Call, type Operation, perform } from '../common/operation.ts';
import { errorResponse, logUnexpected } from '../common/public-errors.ts';
import { chooseRedirect } from '../common/redirects.ts';
import type { AuthContext } from '../context.ts';
import { AuthError } from '../errors.ts';
import { maxBodyBytes } from '../settings.ts';
import type { Body, PageClient } from './types.ts';

export type Run = <Input extends Call, Result>(
  operation: Operation<Input, Result>,
  input: Omit<Input, keyof Call> & { readonly content?: Body | undefined; readonly redirectTo?: string },
) => Promise<Result>;

/** Returns a function that runs operations on behalf of a browser. */
export function runnerFor(ctx: AuthContext, observe: Observe, client: PageClient, accessToken: string): Run {
  const { requestId, ip, userAgent, deviceId, host, language: pageLanguage } = client;
  const callerFor = (redirectTo: string | undefined): Caller => ({
    ip,
    userAgent: userAgent ?? '',
    host,
    accessToken,
    hasCredentials: true,
    audience: undefined,
    pageLanguage,
    deviceId,
    redirectTo: () => chooseRedirect(ctx.settings.redirects, [redirectTo], ctx.settings.accountUrl()),
    setHeader: () => {},
  });
  return (operation, { content, redirectTo = client.redirectTo, ...more }) => {
    const [method, route = ''] = splitOnce(operation.on, ' ');
    const fields: Readonly<Record<string, unknown>> = more;
    const path = `/auth/v1${route.replace(/:(\w+)/g, (_, name: string) => String(fields[name]))}`;
    const { status = 200 } = operation;
    const call = { requestId, service: 'auth', method, path, status, ip, userAgent, accessToken };
    return observe(call, async () => {
      try {
        const input = { ...more, caller: callerFor(redirectTo), body: reader(content) };
        return await perform(ctx, operation, input as never);
      } catch (error) {
        logUnexpected(ctx.log, error, requestId, path.split('?', 1)[0] ?? '');
        const { status: failed, body } = errorResponse(error, requestId);
        throw new AuthRejection(failed, body, { cause: error });
      }
    });
  };
}

/** Returns the body as a route would receive it. @throws {AuthError} request_entity_too_large */
function reader(content: Body | undefined): ReadFields {
  const text = content === undefined ? '' : JSON.stringify(content);
  if (Buffer.byteLength(text) > maxBodyBytes) throw new AuthError('request_entity_too_large');
  return () => parseFields(text);
}
