/**
 * Lets a command control the running Plinth process over HTTP on a separate loopback port. Requests require a token
 * that only the data folder's owner can read. A response consists of lines of JSON: progress messages, followed by a
 * single result or error.
 *
 * If the Plinth process is killed, any user of the machine can listen on its port. Therefore, the process that listens
 * on the port must first prove that it knows the token. Only then does a command send the token to this process and
 * trust the responses.
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Readable } from 'node:stream';
import { createServer, request } from '../../base/kernel/http.ts';
import { describeError, RemoteError } from './errors.ts';
import { readState, type State } from './state.ts';

export type RemoteCall = (
  parameters: Readonly<Record<string, unknown>>,
  onProgress: (message: string) => void,
  /** The signal is aborted if the client disconnects. */
  gone: AbortSignal,
) => Promise<unknown>;

export interface ControlServer {
  readonly port: number;
  readonly token: string;
  close(): void;
}

type Line =
  | { readonly progress: string }
  | { readonly result: unknown }
  | { readonly error: string; readonly advice: readonly string[] };

/**
 * Starts the control server.
 *
 * @param find returns the call with this name, or undefined if it doesn't exist
 */
export async function startControl(
  find: (name: string) => Promise<RemoteCall | undefined>,
): Promise<ControlServer> {
  const token = randomBytes(24).toString('base64url');
  const server = createServer((request, response) => {
    const challenge = request.headers[challengeHeader];
    if (typeof challenge === 'string') {
      response.end(proofOf(token, challenge));
      return;
    }
    if (!isAllowed(request, token)) {
      response.writeHead(401).end();
      return;
    }
    respond(request, response, find).catch(() => response.destroy());
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    token,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

const challengeHeader = 'x-plinth-challenge';

/** Returns a proof that this process knows the token, without revealing the token. */
const proofOf = (token: string, challenge: string): string =>
  createHmac('sha256', token).update(`plinth control ${challenge}`).digest('base64url');

function isAllowed({ headers }: IncomingMessage, token: string): boolean {
  const given = Buffer.from(headers.authorization ?? '');
  const expected = Buffer.from(`Bearer ${token}`);
  // Rejects requests from browsers, which send an Origin header, unlike Plinth's commands.
  return headers.origin === undefined && given.length === expected.length && timingSafeEqual(given, expected);
}

async function respond(
  request: IncomingMessage,
  response: ServerResponse,
  find: (name: string) => Promise<RemoteCall | undefined>,
): Promise<void> {
  const name = (request.url ?? '').slice(1);
  const parameters = JSON.parse((await textOf(request)) || '{}') as Record<string, unknown>;
  const send = (line: Line) => response.write(`${JSON.stringify(line)}\n`);
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  try {
    const call = await find(name);
    if (call === undefined)
      throw new Error(`The running Plinth doesn't support ${name}. It may be a different version.`);
    send({ result: (await call(parameters, (progress) => send({ progress }), gone.signal)) ?? null });
  } catch (error) {
    const { message, advice } = describeError(error);
    send({ error: message, advice });
  }
  response.end();
}

async function textOf(stream: Readable): Promise<string> {
  let text = '';
  for await (const chunk of stream.setEncoding('utf8')) text += chunk;
  return text;
}

const proofTimeoutMs = 10_000;

/** The Plinth process that is running for a data folder. */
export interface Running {
  readonly state: State;
  /** Runs a call in the process. @throws {RemoteError} with the error message from the process */
  call<T = unknown>(
    name: string,
    parameters?: Readonly<Record<string, unknown>>,
    onProgress?: (message: string) => void,
  ): Promise<T>;
}

/**
 * Returns the running process. Returns undefined if Plinth isn't running for this data folder, even if a process that
 * was killed has left behind its state file.
 */
export async function findRunning(dataDir: string): Promise<Running | undefined> {
  const state = readState(dataDir);
  if (state === undefined) return undefined;
  const running: Running = {
    state,
    call: (name, parameters = {}, onProgress = () => {}) => callControl(state, name, parameters, onProgress),
  };
  try {
    if (!(await provesToken(state))) return undefined;
    await running.call('ping');
    return running;
  } catch {
    return undefined;
  }
}

function provesToken({ controlPort, token }: State): Promise<boolean> {
  const challenge = randomBytes(24).toString('base64url');
  const expected = proofOf(token, challenge);
  return new Promise((resolve, reject) => {
    const headers = { [challengeHeader]: challenge };
    const call = request({ host: '127.0.0.1', port: controlPort, headers, agent: false }, (response) => {
      let proof = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => {
        proof += chunk;
        if (proof.length > expected.length) call.destroy();
      });
      response.on('end', () => resolve(proof === expected));
      response.on('error', reject);
    });
    // Limits the waiting time, because another program may be listening on this port without ever responding.
    call.setTimeout(proofTimeoutMs, () =>
      call.destroy(new Error("The running Plinth process didn't identify itself in time.")),
    );
    call.on('error', reject);
    call.end();
  });
}

function callControl<T>(
  { controlPort, token }: State,
  name: string,
  parameters: Readonly<Record<string, unknown>>,
  onProgress: (message: string) => void,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const options = {
      host: '127.0.0.1',
      port: controlPort,
      path: `/${name}`,
      method: 'POST',
      headers,
      agent: false,
    };
    const lost = () => reject(new Error('The Plinth process exited before it responded.'));
    const call = request(options, (response) => {
      if (response.statusCode !== 200) {
        response.resume();
        reject(new Error(`The running Plinth rejected the command (status ${response.statusCode}).`));
        return;
      }
      let rest = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => {
        const lines = (rest + chunk).split('\n');
        rest = lines.pop() ?? '';
        for (const text of lines) {
          const line = JSON.parse(text) as Line;
          if ('progress' in line) onProgress(line.progress);
          else if ('error' in line) reject(new RemoteError(line.error, line.advice));
          else resolve(line.result as T);
        }
      });
      response.on('end', lost);
      response.on('error', reject);
    });
    call.on('error', reject);
    call.end(JSON.stringify(parameters));
  });
}
