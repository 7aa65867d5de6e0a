/**
 * Speaks MCP over stdin and stdout for AI agents. Each message is passed to the MCP endpoint of a running server, so the
 * agent sees the same tools as at the endpoint's URL. Nothing else is printed on stdout.
 */
import { createInterface } from 'node:readline';
import { type Command, type Input, projectOptions, UsageError } from '../command.ts';
import { findRunning } from '../control.ts';
import { CommandError, notRunning } from '../errors.ts';
import { linkedServer } from '../management/target.ts';
import { say } from '../output.ts';
import { locationOf } from '../project-location.ts';

export const mcp: Command = {
  name: 'mcp',
  about:
    'Connects an AI agent to the project over the Model Context Protocol (MCP), on stdin and stdout. Agents start this\n' +
    "command themselves. By default, the agent can read the project but can't change it.",
  options: {
    ...projectOptions,
    linked: { type: 'boolean', help: 'Uses the linked Plinth server instead of the one in this folder.' },
    write: { type: 'boolean', help: 'Also allows changes: SQL, migrations, functions and settings.' },
    features: {
      type: 'string',
      value: 'NAMES',
      help: 'Groups of tools: docs, database, debugging, development, functions, storage. Default: all but storage.',
    },
  },
  examples: [
    ['plinth mcp', 'lets an agent read the project of this folder'],
    ['plinth mcp --write', 'lets an agent also change it'],
    ['plinth mcp --linked --features database,docs', 'lets an agent read the database of the linked server'],
  ],
  run: async (input) => {
    const send = await senderOf(input);
    const pending = new Set<Promise<void>>();
    for await (const line of createInterface({ input: process.stdin, crlfDelay: Number.POSITIVE_INFINITY })) {
      if (line.trim() === '') continue;
      const answered = answer(line, send).finally(() => pending.delete(answered));
      pending.add(answered);
    }
    await Promise.all(pending);
    return 0;
  },
};

interface Sent {
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

interface Answer {
  readonly status: number;
  readonly type: string;
  readonly body: string;
}

type Send = (message: Sent) => Promise<Answer>;

async function senderOf(input: Input): Promise<Send> {
  if (input.positionals.length > 0) throw new UsageError('The command takes no arguments');
  const location = locationOf(input);
  const features = input.text('features');
  const query = {
    read_only: input.flag('write') ? 'false' : 'true',
    ...(features === undefined ? {} : { features }),
  };
  if (input.flag('linked')) {
    const { url, token } = linkedServer(location);
    const endpoint = new URL(`/mcp?${new URLSearchParams(query)}`, url);
    return async ({ body, headers }) => {
      const response = await fetch(endpoint, {
        method: 'POST',
        headers: { ...headers, authorization: `Bearer ${token}` },
        // Rejects redirects, because the token must be sent only to the linked server.
        redirect: 'error',
        body,
      });
      const type = response.headers.get('content-type') ?? '';
      return { status: response.status, type, body: await response.text() };
    };
  }
  const running = await findRunning(location.dataDir);
  if (running === undefined) throw notRunning();
  return (message) => running.call<Answer>('mcp', { message: { ...message, query } });
}

const versionKey = 'io.modelcontextprotocol/protocolVersion';

/** Sends a message from the agent and prints the messages of the response. */
async function answer(line: string, send: Send): Promise<void> {
  const message = parsed(line);
  const { method, id, params } = message ?? {};
  const version = (params?._meta as Record<string, unknown> | undefined)?.[versionKey];
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    // The headers that clients of the 2026 version send over HTTP.
    ...(typeof version === 'string' && method !== undefined
      ? { 'mcp-protocol-version': version, 'mcp-method': method, ...nameHeader(params) }
      : {}),
  };
  try {
    const { status, type, body } = await send({ body: line, headers });
    const messages = messagesIn(type, body);
    for (const text of messages) process.stdout.write(`${text}\n`);
    if (messages.length === 0 && id !== undefined) throw new Error(`status ${status}: ${body.slice(0, 500)}`);
  } catch (error) {
    const reason = error instanceof CommandError || error instanceof Error ? error.message : String(error);
    say(reason);
    if (id === undefined) return;
    const failure = { jsonrpc: '2.0', id, error: { code: -32_603, message: reason } };
    process.stdout.write(`${JSON.stringify(failure)}\n`);
  }
}

interface Message {
  readonly method?: string;
  readonly id?: string | number;
  readonly params?: Readonly<Record<string, unknown>>;
}

function parsed(line: string): Message | undefined {
  try {
    return JSON.parse(line) as Message;
  } catch {
    // The endpoint responds with a parse error.
    return undefined;
  }
}

function nameHeader(params: Message['params']): Record<string, string> {
  const name = params?.name ?? params?.uri;
  return typeof name === 'string' && /^[\x20-\x7e]*$/.test(name) ? { 'mcp-name': name } : {};
}

/** Returns the JSON-RPC messages of a response, each in a single line. */
function messagesIn(type: string, body: string): string[] {
  const texts = type.startsWith('text/event-stream')
    ? body.split(/\r?\n/).flatMap((line) => (line.startsWith('data:') ? [line.slice(5).trim()] : []))
    : [body];
  return texts.flatMap((text) => {
    const message = parsed(text) as { jsonrpc?: unknown } | undefined;
    return message?.jsonrpc === '2.0' ? [JSON.stringify(message)] : [];
  });
}
