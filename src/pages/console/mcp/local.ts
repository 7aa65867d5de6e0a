/** Serves MCP messages from the command line, which speaks MCP over stdin and stdout (`plinth mcp`). */
import type { Logger } from '../../../base/kernel/log.ts';
import { commandLine } from '../audit.ts';
import { serveMcp } from './endpoint.ts';
import { optionsOf } from './options.ts';
import type { McpDeps } from './types.ts';

export interface LocalMessage {
  /** The JSON-RPC message as text. */
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The options of an MCP endpoint's URL. */
  readonly query: Readonly<Record<string, unknown>>;
}

export interface LocalAnswer {
  readonly status: number;
  readonly type: string;
  readonly body: string;
}

/** Serves a message with all permissions, like every command. Sessions are read-only unless the query says otherwise. */
export async function serveLocalMcp(
  deps: McpDeps,
  log: Logger,
  { body, headers, query }: LocalMessage,
): Promise<LocalAnswer> {
  const request = new Request('http://localhost/mcp', { method: 'POST', headers, body });
  const caller = { operator: { ...commandLine, role: 'owner' } } as const;
  const response = await serveMcp(deps, log, request, { ...optionsOf(query), caller });
  return {
    status: response.status,
    type: response.headers.get('content-type') ?? '',
    body: await response.text(),
  };
}
