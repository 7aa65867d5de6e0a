/** Calls the project's hooks over HTTP or as PostgreSQL functions. */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Transaction } from '../../../platform/database/types.ts';
import type { Caller } from '../common/caller.ts';
import { isJsonObject, type JsonObject } from '../common/json.ts';
import { fromMs } from '../common/times.ts';
import type { AuthContext } from '../context.ts';
import { AuthError, authError, internalError } from '../errors.ts';
import type { HookName } from '../settings.ts';
import { callHookFunction } from './queries.ts';
import { webhookSignature } from './webhook-signature.ts';

const names: Readonly<Record<HookName, string>> = {
  mfa_verification_attempt: 'mfa-verification',
  password_verification_attempt: 'password-verification',
  custom_access_token: 'customize-access-token',
  send_sms: 'send-sms',
  send_email: 'send-email',
  before_user_created: 'before-user-created',
  after_user_created: 'after-user-created',
  guest_hand_over: 'guest-hand-over',
};

const attempts = 3;
const backoffMs = 2000;
/** The time limit for all attempts to call an HTTP hook, including the waits between them. */
const httpTimeoutMs = 5000;
const functionTimeoutMs = 2000;
const maxResponseBytes = 200 * 1024;

export interface HookCall {
  readonly name: HookName;
  readonly input: JsonObject;
  /** The transaction in which a PostgreSQL function runs. By default, it runs in a separate transaction. */
  readonly tx?: Transaction | undefined;
}

/** Calls an enabled hook and returns its response. If the hook returns an error, throws the error. */
export async function runHook(
  ctx: AuthContext,
  caller: Pick<Caller, 'ip'>,
  { name, input, tx }: HookCall,
): Promise<JsonObject> {
  const { uri = '', secrets = '' } = ctx.settings.hooks[name];
  const metadata = {
    uuid: randomUUID(),
    time: fromMs(ctx.clock.now()),
    name: names[name],
    ip_address: caller.ip,
  };
  const body = JSON.stringify({ metadata, ...input });
  const call = uri.startsWith('pg-functions:')
    ? callFunction(ctx, uri, body, tx)
    : callHttp(ctx, uri, secrets, body);
  const response = await call.catch((cause: unknown) => {
    throw cause instanceof AuthError ? cause : internalError(`Error running hook URI: ${uri}`, cause);
  });
  throwOnRejection(response);
  return response;
}

/**
 * Throws the error that a successful response contains, in the form `{"error": {"http_code", "message"}}`. Does nothing
 * if the response contains no error, or if the error message is empty.
 */
function throwOnRejection(response: JsonObject): void {
  const error = response.error;
  if (!isJsonObject(error) || typeof error.message !== 'string' || error.message === '') return;
  const status = Number(error.http_code);
  // An invalid HTTP status is handled like a missing status.
  const isStatus = Number.isInteger(status) && status >= 200 && status <= 599;
  throw new AuthError(undefined, { status: isStatus ? status : 500, message: error.message });
}

async function callFunction(
  ctx: AuthContext,
  uri: string,
  body: string,
  tx: Transaction | undefined,
): Promise<JsonObject> {
  const [, schema = '', name = ''] = new URL(uri).pathname.split('/').map(decodeURIComponent);
  const call = async (inside: Transaction): Promise<JsonObject> => {
    const result = await callHookFunction(inside, { schema, name }, body, functionTimeoutMs);
    // A hook function may return its JSON response as a string.
    const parsed = typeof result === 'string' ? parseJson(result) : result;
    return isJsonObject(parsed) ? parsed : {};
  };
  return tx ? call(tx) : ctx.pool.transaction(call);
}

async function callHttp(ctx: AuthContext, uri: string, secrets: string, body: string): Promise<JsonObject> {
  const signal = AbortSignal.timeout(httpTimeoutMs);
  for (let attempt = 1; attempt <= attempts; attempt++) {
    const id = randomUUID();
    const timestampSeconds = Math.floor(ctx.clock.now() / 1000);
    let response: Response;
    try {
      response = await fetch(uri, {
        method: 'POST',
        body,
        signal,
        redirect: 'manual',
        headers: {
          'content-type': 'application/json',
          // Disables compression, because the size of a compressed response isn't known until the response is
          // decompressed.
          'accept-encoding': 'identity',
          'webhook-id': id,
          'webhook-timestamp': String(timestampSeconds),
          'webhook-signature': webhookSignature(secrets, { id, timestampSeconds, body }),
        },
      });
    } catch (cause) {
      if (signal.aborted) throw authError('hook_timeout', undefined, { cause });
      if (attempt === attempts) throw authError('hook_timeout_after_retry', undefined, { cause });
      await sleep(backoffMs, undefined, { signal }).catch(() => {
        throw authError('hook_timeout', undefined, { cause });
      });
      continue;
    }
    const mayRetry =
      (response.status === 429 || response.status === 503) && response.headers.has('retry-after');
    if (!mayRetry) return readHookResponse(response);
    await response.body?.cancel();
  }
  throw internalError('Service currently unavailable due to hook');
}

async function readHookResponse(response: Response): Promise<JsonObject> {
  if (response.status === 200 || response.status === 202) return parseHookResponse(response);
  await response.body?.cancel();
  switch (response.status) {
    case 204:
      return {};
    case 429:
    case 503:
      throw internalError('Service currently unavailable due to hook');
    case 400:
      throw internalError('Invalid payload sent to hook');
    case 401:
      throw internalError('Hook requires authorization token');
    default:
      throw internalError(`Unexpected status code returned from hook: ${response.status}`);
  }
}

async function parseHookResponse(response: Response): Promise<JsonObject> {
  const contentType = response.headers.get('content-type') ?? '';
  if (contentType === '') {
    throw authError('hook_payload_invalid_content_type', 'Invalid Content-Type: Missing Content-Type header');
  }
  if (contentType.split(';')[0]?.trim().toLowerCase() !== 'application/json') {
    throw authError(
      'hook_payload_invalid_content_type',
      `Invalid JSON response. Received content-type: ${contentType}`,
    );
  }
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength;
    if (size > maxResponseBytes) throw authError('hook_payload_over_size_limit');
    chunks.push(chunk);
  }
  const output = parseJson(Buffer.concat(chunks).toString('utf8'));
  if (output === null) return {};
  if (!isJsonObject(output)) throw internalError('Error unmarshaling JSON output.');
  return output;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw internalError('Error unmarshaling JSON output.', cause);
  }
}
